import type { Clock, TimerHandle } from "../lib/clock.ts"
import { SessionServerError } from "./sessionServerError.ts"
import type { SessionState } from "./sessionState.ts"
import type { SessionStore } from "./sessionStore.ts"

export interface WaitOptions {
  /** Milliseconds, after which the wait ends with nothing. `@default` until something is found */
  readonly timeoutMs?: number | undefined
  /** Ends the wait early; what is waited for goes on. */
  readonly signal?: AbortSignal | undefined
  /** What is waited for began with a write of this process, so that what it knows of the session is new enough to begin with. `@default` false */
  readonly isOwnWrite?: boolean | undefined
}

/** What a look at a session finds, or undefined as long as there is nothing. */
export type Look<Found> = (session: SessionState | undefined) => Found | undefined | Promise<Found | undefined>

export interface SessionWaiter {
  /** Resolves to what `look` finds, or to undefined when the wait is over. Rejects with what `look` throws. */
  until<Found>(sessionId: string, look: Look<Found>, options?: WaitOptions): Promise<Found | undefined>
  /** Rejects every wait with 503 `server_closed`. */
  close(): void
}

export const serverClosed = (more = ""): SessionServerError =>
  new SessionServerError(503, "server_closed", `The session server is shutting down. Try again with the next one.${more}`, {
    headers: { "retry-after": "1" },
  })

/** Waits by reading the session anew at each wake-up, so that it does not matter which process changed it. */
export function createSessionWaiter({ store, clock }: { store: SessionStore; clock: Clock }): SessionWaiter {
  const closers = new Set<() => void>()

  return {
    until: <Found>(sessionId: string, look: Look<Found>, { timeoutMs, signal, isOwnWrite = false }: WaitOptions = {}) =>
      new Promise<Found | undefined>((resolve, reject) => {
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
          reject(serverClosed(" If a call waited here, its tool may have run: check what it would have changed before you call it again."))
        }
        let hasLooked = false
        const lookAt = async (read: () => Promise<SessionState | undefined>): Promise<void> => {
          try {
            const found = await look(await read())
            hasLooked = true
            if (found === undefined) return
            end()
            resolve(found)
          } catch (error) {
            // A store that is away for a moment wakes when it is back.
            if (hasLooked && error instanceof SessionServerError && error.code === "store_unavailable") return
            end()
            reject(error)
          }
        }
        // As new as the wake-up is new enough, and may be had without asking.
        const lookAgain = (): Promise<void> => lookAt(async () => (await store.view(sessionId, undefined))?.session)
        const unsubscribe = store.subscribe(sessionId, () => void lookAgain())
        closers.add(close)
        signal?.addEventListener("abort", giveUp)
        // Looked at first: what is there already is told even to those who do not wait.
        void (isOwnWrite ? lookAgain() : lookAt(() => store.read(sessionId))).then(() => {
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
