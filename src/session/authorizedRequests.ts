import type { Clock } from "../lib/clock.ts"
import { errorText } from "../lib/errorText.ts"
import { withTimeLimit } from "../lib/signals.ts"
import { errorOfResponse } from "../wire/errorOfResponse.ts"
import { asSessionError, SessionError } from "../wire/sessionError.ts"
import type { StreamRequest, Transport, TransportRequest } from "../wire/transport.ts"

/**
 * Returns the session's token. Called again when the server refuses the token.
 * @throws Any error is retried, except a `SessionError` with code `unauthorized` (or any error with that `code`), which is final.
 */
export type GetToken = (sessionId: string) => string | Promise<string>

/** A `getToken` that has not answered by then is asked again; less than a stream has to open, so that it is named as the cause. */
export const TOKEN_TIMEOUT_MS = 8_000

/** The session's requests, each with its token and its time limit. */
export interface AuthorizedRequests {
  /** Resolves with the body of a 2xx answer. @throws SessionError for anything else. */
  send(request: Omit<TransportRequest, "token" | "signal">, timeLimitMs: number): Promise<unknown>
  stream(request: Omit<StreamRequest, "token">): Promise<void>
  /** Gives up all requests under way: nobody waits for them any more. */
  abort(): void
}

/**
 * A 401 asks for a new token, once for all who wait; a second 401 with the new one is final. Two tokens are told apart by their text.
 *
 * @param onFinal - The session cannot go on: it is not known, its token is not taken, or `getToken` says that there is none.
 */
export function createAuthorizedRequests(
  transport: Transport,
  clock: Clock,
  getToken: () => string | Promise<string>,
  onFinal: (error: SessionError) => void,
): AuthorizedRequests {
  let token: string | undefined
  let asking: Promise<string> | undefined
  /** One for each request: many that wait on one signal are a leak in Node's eyes. */
  const underWay = new Set<AbortController>()

  function limited<Value>(timeLimitMs: number, task: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const own = new AbortController()
    underWay.add(own)
    return withTimeLimit(clock, timeLimitMs, task, own).finally(() => underWay.delete(own))
  }

  async function ask(): Promise<string> {
    try {
      const given: unknown = await limited(TOKEN_TIMEOUT_MS, async () => getToken())
      if (typeof given !== "string" || !/^[\x21-\x7e]+$/.test(given)) {
        throw new TypeError("getToken must return the token, a string without spaces. Did it return an error page, or the whole result of createToken?")
      }
      return (token = given)
    } catch (cause) {
      const isFinal = (cause as Partial<SessionError> | null | undefined)?.code === "unauthorized"
      const error = new SessionError(isFinal ? "unauthorized" : "token", `No token for the session: ${errorText(cause)}`, { cause })
      if (isFinal) onFinal(error)
      throw error
    } finally {
      asking = undefined
    }
  }

  /** Runs `attempt` with a token, and once more with a new one after a 401. */
  async function authorized<Value>(attempt: (token: string) => Promise<Value>, stale?: string): Promise<Value> {
    // No await where the token is known: a request of `pagehide` must leave within its handler.
    const given = token !== undefined && token !== stale ? token : await (asking ??= ask())
    try {
      return await attempt(given)
    } catch (error) {
      const { code } = error as Partial<SessionError>
      if (code === "unauthorized" && stale === undefined) return authorized(attempt, given)
      if (code === "unauthorized" || code === "session_not_found") onFinal(error as SessionError)
      throw error
    }
  }

  return {
    send(request, timeLimitMs) {
      const what = `${request.method} ${transport.baseUrl}${request.path}`
      return limited(timeLimitMs, (signal) =>
        authorized(async (given) => {
          const response = await transport.request({ ...request, token: given, signal })
          const error = errorOfResponse(what, response)
          if (error) throw error
          return response.body
        }),
      ).catch((cause: unknown) => {
        throw asSessionError(what, cause)
      })
    },
    stream: (request) => authorized((given) => transport.stream({ ...request, token: given })),
    abort() {
      for (const request of underWay) request.abort(new SessionError("closed", "The session was closed."))
    },
  }
}
