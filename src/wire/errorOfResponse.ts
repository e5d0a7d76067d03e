import type { ErrorBody } from "./messages.ts"
import { SessionError, type SessionErrorCode, WHAT_TO_CHECK } from "./sessionError.ts"
import type { TransportResponse } from "./transport.ts"

/** A request timeout, a too early one, and too many: the three 4xx that pass (RFC 9110 §15.5.9, RFC 8470 §5.2, RFC 6585 §4). */
const PASSING_4XX: readonly number[] = [408, 425, 429]

function codeOf(status: number, serverCode: string | undefined): SessionErrorCode {
  if (status === 401) return "unauthorized"
  // Also of a registration that comes too late: of a load that was deleted since.
  if (status === 410 || serverCode === "tool_client_not_found" || serverCode === "tool_client_deleted") return "tool_client_not_found"
  if (status === 409) return "settled"
  if (status === 404) {
    // Without our body a proxy speaks for itself, as during a deploy, and not for the session.
    return serverCode === undefined ? "unavailable" : serverCode === "session_not_found" ? serverCode : "refused"
  }
  // So does a redirect that nobody followed.
  return status < 400 || status >= 500 || PASSING_4XX.includes(status) ? "unavailable" : "refused"
}

/** The one place that decides what a status means. `undefined` for 2xx. */
export function errorOfResponse(what: string, response: TransportResponse): SessionError | undefined {
  const { status, body } = response
  if (status >= 200 && status < 300) return undefined
  const { code, message = `the server gave no reason${status === 404 || status === 405 ? WHAT_TO_CHECK : ""}`, max_tools, tools } = (body as Partial<ErrorBody> | null | undefined)?.error ?? {}
  // Anything else would have tools left out that nobody has counted.
  const maxTools = Number.isInteger(max_tools) && (max_tools as number) > 0 ? max_tools : undefined
  const refusedTools = Array.isArray(tools) ? (tools as readonly string[]) : undefined
  return new SessionError(codeOf(status, code), `${what} was answered ${status}${code ? ` ${code}` : ""}: ${message}`, { ...response, maxTools, refusedTools })
}
