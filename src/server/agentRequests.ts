import { backOffDelay } from "../lib/backOff.ts"
import type { Clock } from "../lib/clock.ts"
import { onAbort, withTimeLimit } from "../lib/signals.ts"
import { createWaiter } from "../lib/waiter.ts"
import { reasonOf } from "../tool/reason.ts"
import type { ErrorBody } from "../wire/messages.ts"
import { SessionError } from "../wire/sessionError.ts"
import { SessionServerError, type SessionServerErrorCode } from "./sessionServerError.ts"

export interface AgentRequest {
  readonly method: "GET" | "POST" | "PUT"
  /** Below the base URL, with a slash in front. */
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** How long the server was asked to wait before it answers, in milliseconds. @default 0 */
  readonly waitMs?: number
  readonly signal?: AbortSignal | undefined
}

export interface AgentReply {
  readonly status: number
  readonly body: unknown
  readonly etag: string | null
}

/** One try waits no longer than this, beyond what the server was asked to wait. Milliseconds. */
export const REPLY_TIMEOUT_MS = 15_000

/** How often a request is tried: with full back-off, the last one half a minute after the first at most. */
export const MAX_TRIES = 6

export interface AgentRequestsOptions {
  readonly url: string
  readonly apiKey: string
  readonly fetch: typeof fetch | undefined
  readonly clock: Clock
}

function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new SessionServerError(400, "invalid_request", `The request cannot be written as JSON: ${reasonOf(cause)}`, { cause })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What the server refused is its own error; where somebody in between spoke, or nobody, it is a SessionError. */
function refusalOf(what: string, status: number, body: unknown, retryAfter: string | null): SessionServerError | SessionError {
  const { code, message } = (body as Partial<ErrorBody> | undefined)?.error ?? {}
  if (code !== undefined && message !== undefined) {
    const headers = retryAfter === null ? {} : { "retry-after": retryAfter }
    return new SessionServerError(status, code as SessionServerErrorCode, message, { headers })
  }
  const problem = status < 400 ? "with something that is not JSON" : "without a reason"
  return new SessionError(status < 400 || status >= 500 ? "unavailable" : "refused", `${what} was answered ${status} ${problem}. Is this the session server's URL, or a proxy in between?`, { status })
}

/** Whether the same request may succeed later (docs/PROTOCOL.md, "Errors"). */
function mayPass(error: unknown): boolean {
  if (error instanceof SessionServerError) return error.status >= 500 || error.status === 429
  return error instanceof SessionError && (error.code === "network" || error.code === "unavailable")
}

function retryAfterMsOf(error: unknown): number | undefined {
  const seconds = error instanceof SessionServerError ? Number(error.headers["retry-after"]) : Number.NaN
  return seconds > 0 ? seconds * 1000 : undefined
}

/**
 * Sends an agent's requests. What may pass is tried again: every request of an agent can be repeated, a call by its `Idempotency-Key`.
 * Rejects with a SessionServerError for the server's refusals, with a SessionError where no answer of its came, with the signal's reason.
 */
export function createAgentRequests({ url, apiKey, fetch: givenFetch, clock }: AgentRequestsOptions): (request: AgentRequest) => Promise<AgentReply> {
  const waiter = createWaiter(clock)

  async function tryOnce({ method, path, body, headers, waitMs = 0, signal }: AgentRequest): Promise<AgentReply> {
    const what = `${method} ${path}`
    const init = {
      method,
      headers: { ...headers, authorization: `Bearer ${apiKey}`, ...(body !== undefined && { "content-type": "application/json" }) },
      body: body === undefined ? null : jsonOf(body),
    }
    let response: Response
    let text: string
    const limited = new AbortController()
    const stopListening = onAbort(signal, () => limited.abort(signal?.reason))
    try {
      ;[response, text] = await withTimeLimit(
        clock,
        waitMs + REPLY_TIMEOUT_MS,
        async (limit) => {
          const answer = await (givenFetch ?? fetch)(url + path, { ...init, signal: limit })
          return [answer, await answer.text()] as const
        },
        limited,
      )
    } catch (cause) {
      signal?.throwIfAborted()
      throw new SessionError("network", `${what} got no answer: ${reasonOf(cause)}`, { cause })
    } finally {
      stopListening()
    }
    const reply = { status: response.status, body: parsed(text), etag: response.headers.get("etag") }
    if (reply.status === 304 || (response.ok && reply.body !== undefined)) return reply
    throw refusalOf(what, reply.status, reply.body, response.headers.get("retry-after"))
  }

  return async (request) => {
    const release = clock.hold()
    try {
      for (let tries = 1; ; tries++) {
        request.signal?.throwIfAborted()
        try {
          return await tryOnce(request)
        } catch (error) {
          if (tries === MAX_TRIES || !mayPass(error)) throw error
          await waiter.wait(backOffDelay(clock, tries - 1, retryAfterMsOf(error)), request.signal)
        }
      }
    } finally {
      release()
    }
  }
}
