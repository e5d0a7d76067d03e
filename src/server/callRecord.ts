/** One call, as the session's state keeps it. */
import type { CallProgress } from "../tool/toolCall.ts"
import type { SettleReason, ToolAnswer } from "../wire/messages.ts"

/** One page load's claim on its calls: an answer counts when it comes from the same instance and load. */
export interface Owner {
  readonly instanceId: string
  readonly loadId: string
}

interface CallRecordBase extends Owner {
  readonly id: string
  readonly clientId: string
  readonly tool: string
  /** What the agent sent to tell a repeat of its request, null without. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
}

export interface PendingCall extends CallRecordBase {
  readonly status: "pending"
  readonly arguments: unknown
  /** Characters of `arguments` as JSON: what it takes of `maxSessionSize`. */
  readonly size: number
  /** The page has confirmed that it has the call. */
  readonly acked: boolean
  readonly deadlineAt: number
  /** When it is sent again unless it is acked; null while its page is away, which gets it when it comes back. */
  readonly sendAgainAt: number | null
  /** The newest report of its page, if there was one. */
  readonly progress?: NumberedProgress
}

export interface NumberedProgress extends CallProgress {
  /** Counts the call's reports, from 1. */
  readonly number: number
}

/** Its arguments are forgotten; the answer never changes any more. */
export interface SettledCall extends CallRecordBase {
  readonly status: "settled"
  readonly answer: ToolAnswer
  readonly reason: SettleReason
}

export type CallRecord = PendingCall | SettledCall

export const isPending = (call: CallRecord): call is PendingCall => call.status === "pending"

export const isOwnedBy = (call: Owner, owner: Owner): boolean =>
  call.instanceId === owner.instanceId && call.loadId === owner.loadId

/** When something is to be done about it although nobody asks, in milliseconds since the epoch. */
export const callDueAt = ({ deadlineAt, acked, sendAgainAt }: PendingCall): number =>
  acked || sendAgainAt === null ? deadlineAt : Math.min(deadlineAt, sendAgainAt)
