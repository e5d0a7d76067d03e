/**
 * Where sessions live. The protocol's logic is pure steps; a store runs one step at a time on one session, so that two
 * processes never both win. {@link createMemoryStore} is the reference; a shared store does the same by compare-and-set.
 */
import type { Clock } from "../lib/clock.ts"
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
}

export interface UpdateOptions {
  /** Nobody waits for it: a store to which each write is a way may hold it back for moments, to write it together with the next one. `@default` false */
  readonly isPatient?: boolean
}

/** Rejects with a `SessionServerError` 503 `store_unavailable` where sessions cannot be reached. */
export interface SessionStore {
  /** The time that steps are given, for those who tell how much is left of a time in a session. */
  now(): number
  /** Runs a step and writes what it gives, atomically. Rejects with what the step throws. */
  update<Result>(sessionId: string, transition: Transition<Result>, options?: UpdateOptions): Promise<Result>
  /** The session as it is now, whichever process wrote last. */
  read(sessionId: string): Promise<SessionState | undefined>
  /**
   * Reads the session together with the events after `afterEventId` (undefined: only where the log ends). What a shared store gives
   * is at least as new as this process's last write, as the last wake-up of a subscriber of the session, and as `afterEventId`.
   */
  view(sessionId: string, afterEventId: string | undefined): Promise<SessionView | undefined>
  /**
   * Calls `wake` after each write that says something (has events, or ends the session), with what it has said where that is known and was all.
   * Wake-ups may come late, twice, or for nothing; whoever is woken reads anew.
   */
  subscribe(sessionId: string, wake: (events?: readonly LogEvent[]) => void): () => void
  /** Calls `sweep` with each session whose time has come (`nextDueAt`), on at least one of the processes. */
  onDue(sweep: (sessionId: string) => void): () => void
  /** What keeps sessions from being read and written at present, in words for an operator; undefined when nothing does. Costs nothing to ask. */
  trouble(): string | undefined
  /** Stops timers and lets go of connections. Sessions stay where they are. */
  close(): void
}

/** What a server gives a store to work with. */
export interface StoreOptions {
  readonly clock: Clock
  /** Events that each session's log keeps at least. */
  readonly maxLoggedEvents: number
  /** Takes what goes wrong while nobody asks. */
  onError(message: string, error: unknown): void
}

/** Where a server keeps its sessions, such as what `redisStore()` gives. Opened once for each server. */
export interface SessionStorage {
  /** @internal What a store has to do may change at any time. */
  open(options: StoreOptions): SessionStore
}
