import type { Clock, TimerHandle } from "../lib/clock.ts"
import { SessionServerError } from "./sessionServerError.ts"
import type { LogEvent, SessionState } from "./sessionState.ts"
import type { SessionStore } from "./sessionStore.ts"

export interface WaitOptions {
  /** Milliseconds, after which the wait ends with nothing. `@default` until something is found */
  readonly timeoutMs?: number | undefined
  /** Is given what ends the wait early, and gives what takes that back; what is waited for goes on. */
  readonly endWhen?: ((end: () => void) => () => void) | undefined
  /** What is waited for began with a write of this process, so that what it knows of the session is new enough to begin with. `@default` false */
  readonly isOwnWrite?: boolean | undefined
  /** Only what is said of this call wakes the wait, so that a thousand of them in one session do not all look at each step of each. `@default` everything wakes it */
  readonly callId?: string | undefined
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

interface Wait {
  look(read: Promise<SessionState | undefined>): Promise<void>
}

/** Those who wait for one session: one subscription, and one look at it each time. */
interface Waits {
  readonly ofAll: Set<Wait>
  readonly ofCalls: Map<string, Set<Wait>>
  unsubscribe(): void
}

/** Whom these events concern; without them it may be everybody. */
function concerned({ ofAll, ofCalls }: Waits, events: readonly LogEvent[] | undefined): readonly Wait[] {
  if (!events) return [...ofAll, ...[...ofCalls.values()].flatMap((waits) => [...waits])]
  const found = new Set(ofAll)
  for (const { data } of events) if ("call_id" in data) for (const wait of ofCalls.get(data.call_id) ?? []) found.add(wait)
  return [...found]
}

/** Waits by reading the session anew at each wake-up, so that it does not matter which process changed it. */
export function createSessionWaiter({ store, clock }: { store: SessionStore; clock: Clock }): SessionWaiter {
  const closers = new Set<() => void>()
  const sessions = new Map<string, Waits>()

  // As new as the wake-up is new enough, and may be had without asking.
  const read = async (sessionId: string): Promise<SessionState | undefined> => (await store.view(sessionId, undefined))?.session

  function wakeUp(sessionId: string, waits: Waits, events: readonly LogEvent[] | undefined): void {
    const woken = concerned(waits, events)
    if (woken.length === 0) return
    const session = read(sessionId)
    for (const wait of woken) void wait.look(session)
  }

  /** Adds one who waits; the returned function takes it off. */
  function add(sessionId: string, callId: string | undefined, wait: Wait): () => void {
    const known = sessions.get(sessionId)
    const waits: Waits = known ?? { ofAll: new Set(), ofCalls: new Map(), unsubscribe: () => {} }
    if (!known) {
      sessions.set(sessionId, waits)
      waits.unsubscribe = store.subscribe(sessionId, (events) => wakeUp(sessionId, waits, events))
    }
    const same = callId === undefined ? waits.ofAll : (waits.ofCalls.get(callId) ?? new Set())
    same.add(wait)
    if (callId !== undefined) waits.ofCalls.set(callId, same)
    return () => {
      same.delete(wait)
      if (callId !== undefined && same.size === 0 && waits.ofCalls.get(callId) === same) waits.ofCalls.delete(callId)
      if (waits.ofAll.size > 0 || waits.ofCalls.size > 0 || sessions.get(sessionId) !== waits) return
      sessions.delete(sessionId)
      waits.unsubscribe()
    }
  }

  return {
    until: <Found>(sessionId: string, look: Look<Found>, { timeoutMs, endWhen, isOwnWrite = false, callId }: WaitOptions = {}) =>
      new Promise<Found | undefined>((resolve, reject) => {
        let timer: TimerHandle
        let isOver = false
        let hasLooked = false
        let takeBack = (): void => {}
        const end = (): void => {
          isOver = true
          remove()
          clock.clearTimeout(timer)
          closers.delete(close)
          takeBack()
        }
        const giveUp = (): void => {
          end()
          resolve(undefined)
        }
        const close = (): void => {
          end()
          reject(serverClosed(" If a call waited here, its tool may have run: check what it would have changed before you call it again."))
        }
        const lookAt = async (session: Promise<SessionState | undefined>): Promise<void> => {
          try {
            const current = await session
            if (isOver) return
            const found = await look(current)
            hasLooked = true
            if (found === undefined || isOver) return
            end()
            resolve(found)
          } catch (error) {
            // A store that is away for a moment wakes when it is back.
            if (hasLooked && error instanceof SessionServerError && error.code === "store_unavailable") return
            end()
            reject(error)
          }
        }
        const remove = add(sessionId, callId, { look: lookAt })
        closers.add(close)
        takeBack = endWhen?.(giveUp) ?? takeBack
        // Looked at first: what is there already is told even to those who do not wait.
        void lookAt(isOwnWrite ? read(sessionId) : store.read(sessionId)).then(() => {
          if (isOver) return
          if (timeoutMs === 0) giveUp()
          else if (timeoutMs !== undefined) timer = clock.setTimeout(giveUp, timeoutMs)
        })
      }),
    close() {
      for (const close of [...closers]) close()
    },
  }
}
