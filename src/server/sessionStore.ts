/**
 * Where sessions live. The protocol's logic is pure steps; a store runs one step at a time on one session, so that two
 * processes never both win. {@link createMemoryStore} is the reference; a shared store does the same by compare-and-set.
 */
import type { LogEvent, SessionState } from "./sessionState.ts"

/** What a step made of a session. */
export interface Outcome<Result> {
  /** undefined: the session does not exist (any more). The same object: nothing has changed, and nothing is written. */
  readonly session: SessionState | undefined
  /** Appended to the session's log together with the write, or not at all. */
  readonly events: readonly LogEvent[]
  readonly result: Result
}

/**
 * A pure step. A store may run it several times, each time on what it has read anew; what it throws leaves everything as it was.
 * `now` is the store's time in milliseconds since the epoch, the same for all processes.
 */
export type Transition<Result> = (session: SessionState | undefined, now: number) => Outcome<Result>

export interface LoggedEvent {
  /** Grows along the log; a stream resumes from it. Opaque. */
  readonly id: string
  readonly event: LogEvent
}

/** The session and its log, as they were at one moment. */
export interface SessionView {
  readonly session: SessionState
  /** What came after the id that was asked for, or null when the log does not reach back so far. */
  readonly events: readonly LoggedEvent[] | null
  /** Where the log ends. */
  readonly lastEventId: string
  readonly now: number
}

export interface SessionStore {
  /** Runs a step and writes what it gives, atomically. Rejects with what the step throws. */
  update<Result>(sessionId: string, transition: Transition<Result>): Promise<Result>
  read(sessionId: string): Promise<SessionState | undefined>
  /** Reads the session together with the events after `afterEventId` (undefined: only where the log ends). */
  view(sessionId: string, afterEventId: string | undefined): Promise<SessionView | undefined>
  /** Calls `wake` after each write that says something (has events, or ends the session). Wake-ups may come late, twice, or for nothing; whoever is woken reads anew. */
  subscribe(sessionId: string, wake: () => void): () => void
  /** Calls `sweep` with each session whose time has come (`nextDueAt`), on at least one of the processes. */
  onDue(sweep: (sessionId: string) => void): () => void
  /** Stops timers and lets go of connections. Sessions stay where they are. */
  close(): void
}
