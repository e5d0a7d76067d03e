import { copyJson } from "../tool/copyJson.ts"
import { ToolError } from "./toolError.ts"

/** What is said of a value that cannot cross a wire: whose fault that is. */
const REFUSALS = {
  invalid_input: "its input is not JSON",
  invalid_output: "its result is not JSON",
} as const

/**
 * A copy of the value as it comes out of JSON, which is how it would be on the other side of a wire: dates are texts, what is
 * `undefined` is gone, and nobody shares an object with the tool.
 *
 * @param place - Stands before the path of what JSON cannot say; empty for none.
 * @throws ToolError of the code, with the path of what JSON cannot say
 */
export function jsonOf(value: unknown, tool: string, code: keyof typeof REFUSALS, place = ""): unknown {
  if (value === undefined) return undefined
  const copy = copyJson(value)
  // The copy is frozen, which what is parsed is not.
  if (copy.ok) return copy.value === undefined ? undefined : (JSON.parse(JSON.stringify(copy.value)) as unknown)
  throw new ToolError(code, tool, REFUSALS[code], { issues: [{ path: [...(place ? [place] : []), ...copy.path], message: copy.reason }] })
}
