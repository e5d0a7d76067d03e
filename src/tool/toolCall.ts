/** What a tool's `execute` is told about the call that it answers. Types only. */

import type { Clock } from "../lib/clock.ts"

/**
 * Who settled a question put to a person: the `person` by a real gesture, page `code` (a click that no person made counts as
 * code), the asking's own `timeout`, the call's `deadline`, its `abort`, or the `unmount` of what asked.
 */
export type ApprovedBy = "person" | "code" | "timeout" | "deadline" | "abort" | "unmount"

/** How far a running tool says it is. */
export interface CallProgress {
  /** How much is done, in the unit of `total`. */
  readonly done: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** A question put to a person, open until it is settled. */
export interface PersonAsked {
  /**
   * Records the answer in the call and lets the tool's own timeout run again. The first settling counts, later ones do nothing.
   *
   * @param approved - Whether the tool may go on.
   * @param by - Who decided.
   */
  settle(approved: boolean, by: ApprovedBy): void
  /** Whether a test plays the person right now: what it does is then the person's. Missing where no test does. */
  readonly isPlayed?: (() => boolean) | undefined
}

/** By what a question can be decided from outside of the component that asks. */
export type DecidePerson = (approved: boolean, by: ApprovedBy) => void

/** One call of a tool: the second argument of `execute`. */
export interface ToolCall {
  /** The call's id, random; the same call redelivered keeps it. */
  readonly callId: string
  /** The tool's name as it was declared, without the client's prefix. */
  readonly tool: string
  /** The arguments as the server dispatched them, before any validation; a frozen copy. */
  readonly arguments: unknown
  /**
   * Aborts when nobody waits for the answer any longer: the client was deleted, the call was cancelled or overtaken by a newer
   * one, the tool's `timeout` passed, or the server's deadline is near.
   */
  readonly signal: AbortSignal
  /** When the server gives the call up, in milliseconds since the epoch. */
  readonly deadline: number
  /** The session's clock: what a tool times by it, a test's clock controls. Its timers do not keep a Node process running. */
  readonly clock: Clock
  /**
   * Shows people how far the call is: those who look at the page, and those at an agent that asks for it, such as an MCP client. The model
   * does not see it.
   *
   * @param done - How much is done, in the unit of `total`.
   * @param total - How much there is to do, when that is known.
   * @param message - What is being done, for people.
   */
  progress(done: number, total?: number, message?: string): void
  /**
   * Records in the call that a person is being asked, and stops the tool's own timeout until that is settled; the server's
   * deadline runs on.
   *
   * @param message - What the person is asked.
   * @param decide - Lets a test that plays the person decide.
   */
  askPerson(message: string, decide?: DecidePerson): PersonAsked
}
