import type { Clock, TimerHandle } from "../lib/clock.ts"
import { getCall } from "./calls.ts"
import { SessionServerError } from "./sessionServerError.ts"
import { isPending, type SessionState, type SettledCall } from "./sessionState.ts"
import type { SessionStore } from "./sessionStore.ts"

export interface WaitOptions {
  /** Milliseconds, after which the wait ends without a settled call. `@default` until it is settled */
  readonly timeoutMs?: number
  /** Ends the wait early; the call goes on. */
  readonly signal?: AbortSignal
}

export interface CallWaiter {
  /** Resolves to the call once it is settled, or to undefined when the wait is over. Rejects when the call or its session is gone. */
  wait(sessionId: string, callId: string, options?: WaitOptions): Promise<SettledCall | undefined>
  /** Rejects every wait with 503 `server_closed`. */
  close(): void
}

export const sessionNotFound = (sessionId: string): SessionServerError =>
  new SessionServerError(
    404,
    "session_not_found",
    `There is no session "${sessionId}". Create it first; after a restart of the server it is back once one of its pages has connected.`,
  )

export const serverClosed = (): SessionServerError =>
  new SessionServerError(503, "server_closed", "The session server is shutting down. Try again with the next one.", {
    headers: { "retry-after": "1" },
  })

/** Waits by reading the session anew at each wake-up, so that it does not matter which process settled the call. */
export function createCallWaiter({ store, clock }: { store: SessionStore; clock: Clock }): CallWaiter {
  const closers = new Set<() => void>()

  async function settledCall(sessionId: string, callId: string): Promise<SettledCall | undefined> {
    const session: SessionState | undefined = await store.read(sessionId)
    if (!session) throw sessionNotFound(sessionId)
    const call = getCall(session, callId)
    return isPending(call) ? undefined : call
  }

  return {
    wait: (sessionId, callId, { timeoutMs, signal } = {}) =>
      new Promise((resolve, reject) => {
        let timer: TimerHandle
        const end = (): void => {
          unsubscribe()
          clock.clearTimeout(timer)
          closers.delete(close)
          signal?.removeEventListener("abort", giveUp)
        }
        const giveUp = (): void => {
          end()
          resolve(undefined)
        }
        const close = (): void => {
          end()
          reject(serverClosed())
        }
        const look = async (): Promise<void> => {
          try {
            const call = await settledCall(sessionId, callId)
            if (!call) return
            end()
            resolve(call)
          } catch (error) {
            end()
            reject(error)
          }
        }
        const unsubscribe = store.subscribe(sessionId, () => void look())
        closers.add(close)
        signal?.addEventListener("abort", giveUp)
        // Looked at first: what is settled already is told even to those who do not wait.
        void look().then(() => {
          if (!closers.has(close)) return
          if (timeoutMs === 0 || signal?.aborted) giveUp()
          else if (timeoutMs !== undefined) timer = clock.setTimeout(giveUp, timeoutMs)
        })
      }),
    close() {
      for (const close of [...closers]) close()
    },
  }
}
