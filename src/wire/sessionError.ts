import { errorText } from "../lib/errorText.ts"

/**
 * What went wrong between this client and the session's server:
 * - `network`: no answer came (offline, refused, cut, or over its time limit). Retried.
 * - `unavailable`: 408, 425, 429 or 5xx, or any status in place of a WebSocket. Retried.
 * - `unauthorized`: 401 twice, the second time with a token asked for anew; or `getToken` threw an error of this code. Final.
 * - `session_not_found`: the server does not know the session. Final.
 * - `tool_client_not_found`: 404 or 410 for the tool client; it registers again.
 * - `settled`: 409, somebody settled the call already.
 * - `refused`: any other status; asking again would not help.
 * - `bad_stream`: the event stream answered with something that is not one. Retried.
 * - `bad_event`: one event could not be read. Reported and skipped.
 * - `token`: `getToken` threw or gave no string. Retried.
 * - `closed`: the session was closed by this page.
 */
export type SessionErrorCode =
  | "network"
  | "unavailable"
  | "unauthorized"
  | "session_not_found"
  | "tool_client_not_found"
  | "settled"
  | "refused"
  | "bad_stream"
  | "bad_event"
  | "token"
  | "closed"

export interface SessionErrorOptions {
  readonly cause?: unknown
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
  readonly maxTools?: number | undefined
  readonly refusedTools?: readonly string[] | undefined
}

/** Every failure between client and server; `code` says which. */
export class SessionError extends Error {
  override readonly name = "SessionError"
  readonly code: SessionErrorCode
  /** HTTP status, where there was an answer. */
  readonly status: number | undefined
  /** Milliseconds that the server asked to wait. */
  readonly retryAfterMs: number | undefined
  /** How many tools of one client the server takes, where there were more. */
  readonly maxTools: number | undefined
  /** Which tools the server refused, by name, where it would take the others. */
  readonly refusedTools: readonly string[] | undefined

  constructor(code: SessionErrorCode, message: string, { cause, status, retryAfterMs, maxTools, refusedTools }: SessionErrorOptions = {}) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.maxTools = maxTools
    this.refusedTools = refusedTools
  }
}

/** What to look at where no server answered a page, or likely somebody else's, such as the page's own for a path that nobody passes on. */
export const WHAT_TO_CHECK = ". Are baseUrl, its proxy and allowedOrigins right?"

/** Whatever happened on the way of `what`, as the one error that says so. A TypeError is all that a browser tells a page of a network. */
export const asSessionError = (what: string, cause: unknown): SessionError =>
  cause instanceof SessionError
    ? cause
    : new SessionError("network", `${what} got no answer: ${errorText(cause)}${cause instanceof TypeError ? WHAT_TO_CHECK : ""}`, { cause })

const RETRYABLE: readonly SessionErrorCode[] = ["network", "unavailable", "bad_stream", "token"]

/** Whether the same request may succeed later. Anything that is no SessionError is our own fault, and asking again repeats it. */
export const isRetryable = (error: unknown): boolean => error instanceof SessionError && RETRYABLE.includes(error.code)
