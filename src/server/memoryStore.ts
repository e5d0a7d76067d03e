import type { Clock, TimerHandle } from "../lib/clock.ts"
import { randomId } from "../lib/randomId.ts"
import { type LogEvent, nextDueAt, type SessionState } from "./sessionState.ts"
import type { LoggedEvent, SessionStore, SessionView, Transition } from "./sessionStore.ts"

interface Entry {
  session: SessionState
  /** Tells this log from one of an earlier life of the same session. */
  readonly logId: string
  lastSequence: number
  readonly log: LoggedEvent[]
  timer: { readonly handle: TimerHandle; readonly at: number } | undefined
}

/** Keeps sessions in this process. A step runs to its end before the next begins, which is all the compare-and-set it needs. */
export function createMemoryStore({ clock, maxLoggedEvents }: { clock: Clock; maxLoggedEvents: number }): SessionStore {
  const entries = new Map<string, Entry>()
  const wakers = new Map<string, Set<{ readonly wake: (events?: readonly LogEvent[]) => void }>>()
  const sweepers = new Set<(sessionId: string) => void>()
  let isClosed = false

  const idAt = (entry: Entry, sequence: number): string => `${entry.logId}-${sequence}`

  function eventsAfter(entry: Entry, id: string | undefined): readonly LoggedEvent[] | null {
    if (id === undefined || id === idAt(entry, entry.lastSequence)) return []
    const prefix = `${entry.logId}-`
    const sequence = id.startsWith(prefix) ? Number(id.slice(prefix.length)) : Number.NaN
    const missing = entry.lastSequence - sequence
    if (!Number.isInteger(missing) || missing < 0 || missing > entry.log.length) return null
    return entry.log.slice(entry.log.length - missing)
  }

  function disarm(entry: Entry): void {
    if (entry.timer) clock.clearTimeout(entry.timer.handle)
    entry.timer = undefined
  }

  /** A timer that fires too early is left alone, so that a ping costs none. */
  function arm(id: string, entry: Entry): void {
    const at = isClosed ? null : nextDueAt(entry.session)
    if (at === null) return disarm(entry)
    if (entry.timer && entry.timer.at <= at) return
    disarm(entry)
    const onTime = (): void => {
      entry.timer = undefined
      const due = nextDueAt(entry.session)
      if (due !== null && due <= clock.now()) for (const sweep of [...sweepers]) sweep(id)
      else arm(id, entry)
    }
    entry.timer = { handle: clock.setTimeout(onTime, at - clock.now()), at }
  }

  function append(entry: Entry, events: readonly LoggedEvent["event"][]): void {
    for (const event of events) entry.log.push({ id: idAt(entry, ++entry.lastSequence), event })
    if (entry.log.length > maxLoggedEvents) entry.log.splice(0, entry.log.length - maxLoggedEvents)
  }

  function step<Result>(id: string, transition: Transition<Result>): Result {
    const known = entries.get(id)
    const { session, events, result } = transition(known?.session, clock.now())
    if (session === known?.session && events.length === 0) return result
    if (session) {
      const entry = known ?? { session, logId: randomId(), lastSequence: 0, log: [], timer: undefined }
      entry.session = session
      entries.set(id, entry)
      append(entry, events)
      arm(id, entry)
    } else if (known) {
      disarm(known)
      entries.delete(id)
    }
    // A ping changes only when its client expires, and nobody waits for that.
    if (events.length > 0 || !session) for (const { wake } of [...(wakers.get(id) ?? [])]) wake(session && events)
    return result
  }

  function viewOf(entry: Entry, afterEventId: string | undefined): SessionView {
    return {
      session: entry.session,
      events: eventsAfter(entry, afterEventId),
      lastEventId: idAt(entry, entry.lastSequence),
    }
  }

  return {
    now: () => clock.now(),
    // Inside the executor, so that what a step throws is a rejection.
    update: (id, transition) => new Promise((resolve) => resolve(step(id, transition))),
    read: (id) => Promise.resolve(entries.get(id)?.session),
    view(id, afterEventId) {
      const entry = entries.get(id)
      return Promise.resolve(entry && viewOf(entry, afterEventId))
    },
    subscribe(id, wake) {
      const waker = { wake }
      const ofSession = wakers.get(id) ?? new Set()
      wakers.set(id, ofSession.add(waker))
      return () => {
        ofSession.delete(waker)
        if (ofSession.size === 0 && wakers.get(id) === ofSession) wakers.delete(id)
      }
    },
    trouble: () => undefined,
    onDue(sweep) {
      sweepers.add(sweep)
      return () => sweepers.delete(sweep)
    },
    close() {
      isClosed = true
      for (const entry of entries.values()) disarm(entry)
    },
  }
}
