import type { ApprovedBy, CallProgress } from "../tool/toolCall.ts"
import type { ToolAnswer } from "../tool/toolSpec.ts"

/** Settled calls that a snapshot still holds: enough for a log line or a live list (README, "Hooks"). */
export const SETTLED_CALLS_KEPT = 50

export type { CallProgress }

/** One question to a person, and how it ended. Times are milliseconds since the epoch. */
export interface CallApproval {
  readonly message: string
  readonly status: "waiting" | "approved" | "refused"
  readonly askedAt: number
  readonly answeredAt?: number
  readonly by?: ApprovedBy
}

interface CallBase {
  readonly callId: string
  readonly tool: string
  /** Who called within the page: `webmcp` for the browser's own agent. Missing for a call of the session's. */
  readonly via?: string
  /** As dispatched, before any schema saw them; a frozen copy. */
  readonly arguments: unknown
  readonly receivedAt: number
  readonly startedAt?: number
  readonly settledAt?: number
  readonly progress?: CallProgress
  readonly approvals: readonly CallApproval[]
}

/**
 * One call as this client saw it: a union on `phase`.
 *
 * ```
 *  acked ── execute begins ──▶ running ── server took the answer ──▶ answered
 *    │  └── refused before execute, server took the answer ─────────▶ answered
 *    └───────────────┬──────────────┘
 *                    └── the server never got one ──▶ failed ── it was dispatched again, and took it ──▶ answered
 * ```
 */
export type CallRecord =
  | (CallBase & { readonly phase: "acked" | "running"; readonly answer: undefined; readonly error: undefined })
  | (CallBase & { readonly phase: "answered"; readonly answer: ToolAnswer; readonly error: undefined })
  /**
   * `answer` is the one that was not taken, if there was one; `error` says why. `isCancelled`: nobody wanted it any more, since the agent
   * or the server gave the call up, or its tool client was deleted; otherwise the answer could not be delivered.
   */
  | (CallBase & { readonly phase: "failed"; readonly answer: ToolAnswer | undefined; readonly error: unknown; readonly isCancelled: boolean })

export const isSettled = (call: CallRecord): boolean => call.phase === "answered" || call.phase === "failed"

/** Drops the oldest settled calls beyond `SETTLED_CALLS_KEPT`; calls in flight all stay. */
function bounded(calls: readonly CallRecord[]): readonly CallRecord[] {
  let surplus = calls.filter(isSettled).length - SETTLED_CALLS_KEPT
  return surplus > 0 ? calls.filter((call) => !(isSettled(call) && surplus-- > 0)) : calls
}

/** Pure: adds a call in flight. */
export const addCall = (calls: readonly CallRecord[], call: CallRecord): readonly CallRecord[] => [...calls, call]

/** Pure: replaces one call's record; a settled one stays as it is, unless its answer is taken after all. */
export function changeCall(
  calls: readonly CallRecord[],
  callId: string,
  change: (call: CallRecord) => CallRecord,
): readonly CallRecord[] {
  const at = calls.findLastIndex((call) => call.callId === callId)
  const known = calls[at]
  if (!known) return calls
  const next = change(known)
  if (isSettled(known) && !(known.phase === "failed" && next.phase === "answered")) return calls
  const changed = [...calls]
  changed[at] = next
  // Only one that settles can be one too many.
  return isSettled(next) ? bounded(changed) : changed
}
