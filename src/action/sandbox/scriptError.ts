import { SCRIPT_NAME } from "./sandboxPrelude.ts"
import { TOOL_ERROR_CODES, ToolError, type ToolErrorCode, type ToolIssue } from "../toolError.ts"

/** What the script threw, as the sandbox wrote it. Nothing of it is sure: a script may throw anything. */
interface Thrown {
  readonly name?: unknown
  readonly message?: unknown
  readonly stack?: unknown
  readonly code?: unknown
  readonly tool?: unknown
  readonly problem?: unknown
  readonly issues?: unknown
}

const isIssue = (issue: unknown): issue is ToolIssue => {
  const { path, message } = (issue ?? {}) as { path?: unknown; message?: unknown }
  return typeof message === "string" && Array.isArray(path) && path.every((key) => typeof key === "string" || typeof key === "number")
}

const isCode = (code: unknown): code is ToolErrorCode => TOOL_ERROR_CODES.some((known) => known === code)

/** The error of a script that threw: an action's own error where it did not catch that, else `failed` with the line where it happened. */
export function errorOfScript(json: string): ToolError {
  const { name, message, stack, code, tool, problem, issues } = JSON.parse(json) as Thrown
  if (name === "ToolError" && isCode(code) && typeof tool === "string" && typeof problem === "string" && Array.isArray(issues) && issues.every(isIssue)) {
    return new ToolError(code, tool, problem, { issues })
  }
  const text = `${typeof name === "string" ? name : "Error"}: ${typeof message === "string" ? message : "no message"}`
  if (name === "InternalError" && message === "out of memory") return new ToolError("limit", SCRIPT_NAME, `the script ran out of memory: ${text}`)
  return new ToolError("failed", SCRIPT_NAME, withPlace(text, stack))
}

/** The text with the line of the script that the stack names first, if it names one. */
export function withPlace(text: string, stack: unknown): string {
  const [where] = /script\.js:\d+(:\d+)?/.exec(typeof stack === "string" ? stack : "") ?? []
  return where ? `${text} (${where})` : text
}

export const ranTooLong = (cpuMs: number): ToolError =>
  new ToolError("limit", SCRIPT_NAME, `the script ran longer than ${cpuMs} ms by itself; make it do less, or raise cpuMs`)
