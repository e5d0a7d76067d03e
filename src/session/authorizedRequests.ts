import type { Clock } from "../lib/clock.ts"
import { withTimeLimit } from "../lib/signals.ts"
import { errorOfResponse } from "../wire/errorOfResponse.ts"
import { SessionError } from "../wire/sessionError.ts"
import type { StreamRequest, Transport, TransportRequest } from "../wire/transport.ts"

/** Gives the session's token; asked for again when the server does not take the one it gave. */
export type GetToken = (sessionId: string) => string | Promise<string>

/** The session's requests, each with its token and its time limit. */
export interface AuthorizedRequests {
  /** Resolves with the body of a 2xx answer. @throws SessionError for anything else. */
  send(request: Omit<TransportRequest, "token" | "signal">, timeLimitMs: number): Promise<unknown>
  stream(request: Omit<StreamRequest, "token">): Promise<void>
}

/**
 * A 401 asks for a new token, once for all who wait; a second 401 with the new one is final. Two tokens are told apart by their text.
 *
 * @param onFinal - The session cannot go on: it is not known, or its token is not taken.
 */
export function createAuthorizedRequests(
  transport: Transport,
  clock: Clock,
  getToken: () => string | Promise<string>,
  onFinal: (error: SessionError) => void,
): AuthorizedRequests {
  let token: string | undefined
  let asking: Promise<string> | undefined

  async function ask(): Promise<string> {
    try {
      const given: unknown = await getToken()
      if (typeof given === "string" && given !== "") return given
      throw new TypeError(`getToken gave ${given === "" ? "an empty string" : typeof given}, not the session's token.`)
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      throw new SessionError("token", `No token for the session: ${message}`, { cause })
    }
  }

  /** A token that is not `stale`; one request for all who ask meanwhile. */
  function renew(stale: string | undefined): Promise<string> {
    if (token !== undefined && token !== stale) return Promise.resolve(token)
    asking ??= ask()
      .then((given) => (token = given))
      .finally(() => {
        asking = undefined
      })
    return asking
  }

  /** Runs `attempt` with a token, and once more with a new one after a 401. */
  async function authorized<Value>(attempt: (token: string) => Promise<Value>): Promise<Value> {
    // No await where the token is known: a request of `pagehide` must leave within its handler.
    const first = token ?? (await renew(undefined))
    try {
      return await attempt(first)
    } catch (error) {
      if (!(error instanceof SessionError)) throw error
      if (error.code === "session_not_found") onFinal(error)
      if (error.code !== "unauthorized") throw error
    }
    try {
      return await attempt(await renew(first))
    } catch (error) {
      const isFinal = error instanceof SessionError && (error.code === "unauthorized" || error.code === "session_not_found")
      if (isFinal) onFinal(error)
      throw error
    }
  }

  return {
    send: (request, timeLimitMs) =>
      withTimeLimit(clock, timeLimitMs, undefined, (signal) =>
        authorized(async (given) => {
          const response = await transport.request({ ...request, token: given, signal })
          const error = errorOfResponse(`${request.method} ${request.path}`, response)
          if (error) throw error
          return response.body
        }),
      ),
    stream: (request) => authorized((given) => transport.stream({ ...request, token: given })),
  }
}
