/**
 * Why a request was refused; the wire's `error.code`.
 * The table in docs/PROTOCOL.md, "Errors", says of each when it is given and what to do about it.
 */
export type SessionServerErrorCode =
  | "invalid_request"
  | "missing_token"
  | "invalid_token"
  | "token_expired"
  | "token_revoked"
  | "token_not_accepted"
  | "agent_routes_disabled"
  | "wrong_session"
  | "origin_not_allowed"
  | "host_not_allowed"
  | "not_found"
  | "session_not_found"
  | "session_revoked"
  | "tool_client_not_found"
  | "tool_not_found"
  | "tool_call_not_found"
  | "not_your_call"
  | "method_not_allowed"
  | "call_settled"
  | "tool_client_deleted"
  | "body_too_large"
  | "unsupported_media_type"
  | "name_taken"
  | "tool_name_too_long"
  | "idempotency_key_reused"
  | "too_many_tool_clients"
  | "too_many_calls"
  | "too_many_streams"
  | "too_many_tools"
  | "session_too_large"
  | "rate_limited"
  | "authorization_unavailable"
  | "server_closed"
  | "store_unavailable"
  | "internal_error"

export interface SessionServerErrorOptions {
  readonly cause?: unknown
  /** Response headers that belong to the refusal: `Retry-After`, `Allow`, `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** What stands in the refusal's body beside code and message. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** A refusal of the session server: what `fetch` turns into a response, and what the in-process methods reject with. */
export class SessionServerError extends Error {
  override readonly name = "SessionServerError"
  readonly code: SessionServerErrorCode
  /** HTTP status that says the same. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** What stands in the refusal's body beside code and message. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, code: SessionServerErrorCode, message: string, options: SessionServerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = status
    this.headers = options.headers ?? {}
    this.details = options.details ?? {}
  }
}

/** 429: the same request may pass after `seconds` (RFC 6585 §4). */
export const tooMany = (code: SessionServerErrorCode, message: string, seconds: number): SessionServerError =>
  new SessionServerError(429, code, message, { headers: { "retry-after": String(seconds) } })
