/** What becomes of an `execute`: of its value, or of what it threw, the answer that the model reads. */

import { validate, type Validated } from "./arguments.ts"
import { copyJson } from "./copyJson.ts"
import { pathText } from "./pathText.ts"
import { reasonOf } from "./reason.ts"
import type { AnyTool } from "./tool.ts"
import type { ToolAnswer } from "./toolSpec.ts"

/** Lone surrogates are no characters, and JSON parsers differ on them. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\uFFFD")

/** An answer that says that the call failed, and why. */
export const errorAnswer = (text: string): ToolAnswer => ({ text: wellFormed(text), is_error: true })

/** The answer of a tool that returned `undefined`: `toAnswer` gives this very object, so a caller can tell its developer. */
export const NOTHING_RETURNED: ToolAnswer = Object.freeze({ text: "The tool ran and returned nothing.", is_error: false })

/** Whether `execute` returned an answer rather than a value to make one of. */
function isAnswer(value: unknown): value is ToolAnswer {
  const { text, is_error } = (value ?? {}) as Partial<ToolAnswer>
  return typeof text === "string" && typeof is_error === "boolean"
}

/**
 * Makes the answer of what `execute` returned: a string and `{ text, is_error }` as they are, any other JSON value as JSON text,
 * `undefined` as {@link NOTHING_RETURNED}. What JSON cannot say becomes an error answer that names its path. Never throws.
 */
export function toAnswer(value: unknown): ToolAnswer {
  try {
    if (value === undefined) return NOTHING_RETURNED
    if (typeof value === "string") return { text: wellFormed(value), is_error: false }
    if (isAnswer(value)) return { text: wellFormed(value.text), is_error: value.is_error }
  } catch {
    // A getter threw; the copy meets it again, and names it.
  }
  const copy = copyJson(value)
  if (copy.ok) return copy.value === undefined ? NOTHING_RETURNED : { text: JSON.stringify(copy.value), is_error: false }
  return errorAnswer(`The tool ran, but its result cannot be sent: at ${pathText(copy.path) || "its root"}, ${copy.reason}.`)
}

/** The answer of an `execute` that threw: a short reason of whatever it was, without its stack. Never throws. */
export const answerOfThrown = (thrown: unknown): ToolAnswer => errorAnswer(`The tool failed: ${reasonOf(thrown)}`)

/**
 * Checks what `execute` returned against the tool's `output` schema, and gives the schema's output. A failure
 * (`is_error: true`) passes as it is, and so does everything where there is no such schema. Never throws.
 */
export async function checkOutput(tool: AnyTool, value: unknown): Promise<Validated> {
  const { output } = tool
  if (!output || (isAnswer(value) && value.is_error)) return { ok: true, value }
  const checked = await validate(output, value, "the result")
  if (checked.ok) return checked
  return { ok: false, text: `The tool ran, but its result is not what it promises:\n${checked.text}` }
}
