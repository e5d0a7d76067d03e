import type { Lifetime } from "../wire/messages.ts"
import type { CallProgress, DecidePerson } from "../tool/toolCall.ts"
import type { ToolAnswer, ToolSpec } from "../tool/toolSpec.ts"

/** How a tool client introduces itself. The same pair of `instanceId` and `loadId` is the same client. */
export interface Registration {
  readonly name: string
  /** Tab, client name and ordinal: stays over a reload. */
  readonly instanceId: string
  /** Fresh for each tool client of each page load. */
  readonly loadId: string
  readonly lifetime: Lifetime
  readonly tools: readonly ToolSpec[]
  /** Counts on over registrations and updates, so that a copy held up on its way brings no older set back. */
  readonly revision: number
}

/** What the other side made of it; the name may have got a suffix. */
export interface Registered {
  readonly id: string
  readonly name: string
}

/**
 * What a failed request means for the tool client:
 * - `retry`: it may succeed later, not before `retryAfterMs`.
 * - `gone`: the other side does not know the tool client (any more).
 * - `settled`: the call has its answer already.
 * - `too_large`: it would be taken if it were smaller.
 * - `refused`: asking again would not help; with fewer tools it may, where `maxTools` says with how many, or without `refusedTools`.
 */
export interface PortFailure {
  readonly kind: "retry" | "gone" | "settled" | "too_large" | "refused"
  readonly retryAfterMs?: number | undefined
  readonly maxTools?: number | undefined
  readonly refusedTools?: readonly string[] | undefined
}

/** Who is asked in a person's place: a test. */
export interface PlayedPerson {
  /** Whether the events of right now are the person's. */
  readonly isActing: () => boolean
  /** A question was put, the next one of this call. @param decide - Does nothing once it is decided. */
  asked(message: string, decide: DecidePerson): void
}

/** One call, as the other side sent it. */
export interface Dispatch {
  readonly callId: string
  readonly tool: string
  readonly arguments: unknown
  /** Milliseconds left for the answer. */
  readonly deadlineMs: number
  /** Who called, where it was not the other side. */
  readonly via?: string
  /** Takes the answer in the port's place: the caller is within this page. */
  readonly reply?: (answer: ToolAnswer) => void
  readonly person?: PlayedPerson
}

/**
 * All that a tool client needs of whatever carries it: an HTTP session, a hub, memory. Every promise settles within a time of the
 * port's own; a rejection is whatever the port throws, read by `failureOf`, and reaches the user as it is.
 */
export interface ToolClientPort {
  /** So many tools of one client the other side takes, where that is known before it refuses more. */
  readonly maxTools?: number
  register(registration: Registration): Promise<Registered>
  /**
   * Set where an update may have to wait until no call runs, and resolves when that is so: answers then do not wait for updates, which
   * would wait for them.
   */
  readonly updatesAfterCalls?: Promise<void> | undefined
  /** Replaces the whole set. */
  update(id: string, revision: number, tools: readonly ToolSpec[]): Promise<void>
  /** A sign of life, or a last word, with the revision that it is the last word of. Not called for a lifetime that never ends. */
  ping(id: string, word?: { readonly leaving: true } | { readonly suspended: true }, revision?: number): Promise<void>
  /** Missing where the other side knows no acks. */
  ack?(id: string, callId: string): Promise<void>
  /** Says how far a call is. Missing where the other side does not want to know. */
  progress?(id: string, callId: string, progress: CallProgress): Promise<void>
  /** Resolves when the other side has taken the answer. */
  answer(id: string, callId: string, answer: ToolAnswer): Promise<void>
  /** Resolves when the tool client is gone, also when it was already. */
  remove(id: string): Promise<void>
  failureOf(error: unknown): PortFailure
}
