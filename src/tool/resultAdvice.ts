import { pathText } from "./pathText.ts"

/** By what a result that JSON cannot say is mended; the keys are what the answer's text calls it. */
const ADVICE: Readonly<Record<string, string>> = {
  "$$typeof: symbol": "return a text for the model, not JSX",
  Map: "return [...map], or Object.fromEntries(map)",
  Set: "return [...set]",
  bigint: "return String(value)",
  function: "return what it gives, or leave it out",
  Error: "throw it, or return its message",
  "it contains itself": "return only the parts that the model needs",
}

/** For a notice to developers: the tool returned what no answer can be made of, and what to return. `false` where it said itself that it failed. */
export function resultAdvice(name: string, returned: unknown, text: string): string | false {
  if ((returned as { readonly is_error?: unknown } | null | undefined)?.is_error === true) return false
  const known = Object.keys(ADVICE).find((kind) => text.endsWith(kind.startsWith("it ") ? kind : `: ${kind} is not JSON`))
  return `the tool "${name}" ran, but the model gets an error instead of its result. ${text}${known ? `: ${ADVICE[known]}.` : ""}`
}

/** Where a value holds a number that JSON has no word for. What writes itself by `toJSON` is not asked a second time. */
function findLostNumber(value: unknown, path: readonly PropertyKey[], seen: Set<unknown>): { readonly path: readonly PropertyKey[]; readonly number: number } | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : { path, number: value }
  if (typeof value !== "object" || value === null || seen.has(value) || "toJSON" in value) return undefined
  seen.add(value)
  for (const key of Object.keys(value)) {
    const found = findLostNumber((value as Readonly<Record<string, unknown>>)[key], [...path, Array.isArray(value) ? Number(key) : key], seen)
    if (found) return found
  }
  return undefined
}

/** For a notice to developers: the tool returned NaN or an infinity, which is `null` in JSON. `false` where it returned none. */
export function lostNumberAdvice(name: string, returned: unknown): string | false {
  const lost = findLostNumber(returned, [], new Set())
  if (!lost) return false
  return `the tool "${name}" returned ${lost.number} (at ${pathText(lost.path) || "its root"}), and the model gets null instead: return a number, or say in words what is missing.`
}

/** For a notice to developers: the tool returned an answer, and more beside it that nobody is told. `false` where there is no more. */
export function droppedAdvice(name: string, returned: unknown): string | false {
  const { text, is_error, ...more } = (returned ?? {}) as Readonly<Record<string, unknown>>
  const keys = Object.keys(more)
  if (typeof text !== "string" || typeof is_error !== "boolean" || keys.length === 0) return false
  return `the tool "${name}" returned an answer, of which only text and is_error are sent, and with it ${keys.map((key) => JSON.stringify(key)).join(", ")}: put it into the text, or return an object without is_error, which is sent whole.`
}
