import { SessionError, type SessionErrorCode } from "./sessionError.ts"
import type { TransportResponse } from "./transport.ts"

/** What the server says of itself, if it speaks our protocol: `{error: {code, message}}`. */
function readError(body: unknown): { code?: string; message?: string } {
  if (typeof body !== "object" || body === null || !("error" in body)) return {}
  const { error } = body
  if (typeof error !== "object" || error === null) return {}
  const { code, message } = error as { code?: unknown; message?: unknown }
  return {
    ...(typeof code === "string" && { code }),
    ...(typeof message === "string" && { message }),
  }
}

/** A request timeout, a too early one, and too many: the three 4xx that pass (RFC 9110 §15.5.9, RFC 8470 §5.2, RFC 6585 §4). */
const PASSING_4XX: ReadonlySet<number> = new Set([408, 425, 429])

function codeOf(status: number, serverCode: string | undefined): SessionErrorCode {
  if (status === 401) return "unauthorized"
  if (status === 410 || serverCode === "tool_client_not_found") return "tool_client_not_found"
  if (status === 404 && serverCode === "session_not_found") return "session_not_found"
  if (status === 409) return "settled"
  // A redirect that nobody followed comes from something in between, like a 5xx.
  if (status < 400 || status >= 500 || PASSING_4XX.has(status)) return "unavailable"
  // A proxy during a deploy: 3xx, 404 with a page of HTML. It speaks for itself, not for the session.
  return serverCode === undefined && status === 404 ? "unavailable" : "refused"
}

/** The one place that decides what a status means. `undefined` for 2xx. */
export function errorOfResponse(what: string, response: TransportResponse): SessionError | undefined {
  const { status, body, retryAfterMs } = response
  if (status >= 200 && status < 300) return undefined
  const { code, message } = readError(body)
  const said = message ?? "the server gave no reason"
  return new SessionError(codeOf(status, code), `${what} was answered ${status}${code ? ` ${code}` : ""}: ${said}`, {
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}
