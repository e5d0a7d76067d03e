/** What becomes of an `execute`: of its value, or of what it threw, the answer that the model reads. */

import { validate, type Validated } from "./arguments.ts"
import { copyJson } from "./copyJson.ts"
import { pathText } from "./pathText.ts"
import { reasonOf } from "./reason.ts"
import type { AnyTool } from "./tool.ts"
import type { JsonValue, ToolAnswer } from "./toolSpec.ts"

export { limitAnswer } from "./limitAnswer.ts"

/** Lone surrogates are no characters, and parsers differ on what to do with them. */
const answer = (text: string, is_error: boolean): ToolAnswer => ({ text: text.replace(/\p{Surrogate}/gu, "\uFFFD"), is_error })

/** An answer that says that the call failed, and why. */
export const errorAnswer = (text: string): ToolAnswer => answer(text, true)

/** The answer of a tool that returned `undefined`: `answerOf` gives this very object, so that a caller can tell its developer. */
export const NOTHING_RETURNED: ToolAnswer = Object.freeze({ text: "The tool ran and returned nothing.", is_error: false })

/** The values whose JSON text answers are, by the answer itself: one that was cut or replaced since is another object, and only a text. */
const jsonValues = new WeakMap<ToolAnswer, JsonValue>()

/** What an answer says to a side that takes JSON values: the value that `execute` returned, else the text. */
export const jsonValueOf = (answer: ToolAnswer): JsonValue => (jsonValues.has(answer) ? (jsonValues.get(answer) as JsonValue) : answer.text)

/** Whether `execute` returned an answer, rather than a value to make one of. */
function isAnswer(value: unknown): value is ToolAnswer {
  const { text, is_error } = (value ?? {}) as Partial<ToolAnswer>
  return typeof text === "string" && typeof is_error === "boolean"
}

/**
 * Makes the answer of a value: a string and `{ text, is_error }` as they are (what stands beside the two is left out, and told in development), any other JSON value as JSON text, `undefined` as
 * {@link NOTHING_RETURNED}. What JSON cannot say becomes an error answer that names its path. Never throws.
 */
export function answerOf(value: unknown): ToolAnswer {
  try {
    if (typeof value === "string") return answer(value, false)
    if (isAnswer(value)) return answer(value.text, value.is_error)
  } catch {
    // A getter threw; the copy meets it again, and names it.
  }
  const copy = copyJson(value)
  if (!copy.ok) return errorAnswer(`The tool ran, but its result is not JSON: ${pathText(copy.path) || "its root"}: ${copy.reason}`)
  if (copy.value === undefined) return NOTHING_RETURNED
  const written = answer(JSON.stringify(copy.value), false)
  jsonValues.set(written, copy.value as JsonValue)
  return written
}

/** The answer of an `execute` that threw: a short reason of whatever it was, without its stack. Never throws. */
export const answerOfThrown = (thrown: unknown): ToolAnswer => errorAnswer(`The tool failed: ${reasonOf(thrown)}`)

/**
 * Checks what `execute` returned against the tool's `output` schema, and gives the schema's output. A failure
 * (`is_error: true`) passes as it is, and so does everything where there is no such schema.
 */
export async function checkOutput({ output }: Pick<AnyTool, "output">, value: unknown): Promise<Validated> {
  if (!output || (isAnswer(value) && value.is_error)) return { ok: true, value }
  const checked = await validate(output, undefined, value, "the result")
  return checked.ok ? checked : { ok: false, text: `The tool ran, but its result is not what it promises:\n${checked.text}` }
}

/** The answer of a tool whose `execute` returned `value`: {@link checkOutput}, then {@link answerOf}. */
export async function toAnswer(tool: Pick<AnyTool, "output">, value: unknown): Promise<ToolAnswer> {
  const checked = await checkOutput(tool, value)
  return checked.ok ? answerOf(checked.value) : errorAnswer(checked.text)
}
