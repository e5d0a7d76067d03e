import type { CallTrace } from "../recorder/history.ts"
import { isTimeout } from "../recorder/knownAnswers.ts"

/**
 * Where a call is, or how it ended. Beside the phases of its record:
 * - `dispatched` until the server took the ack, `asking` while a person is asked, `answering` while the answer is on its way.
 * - `refused` for an answer after a person was asked and the last question was refused.
 * - `error` for an answer that says that something went wrong; `timed_out` where that is the tool's time limit, or the call's deadline.
 * - `cancelled` for a `failed` one that nobody wanted any more.
 */
export type CallStage =
  | "dispatched"
  | "acked"
  | "running"
  | "asking"
  | "answering"
  | "answered"
  | "refused"
  | "error"
  | "timed_out"
  | "failed"
  | "cancelled"

/** One coloured piece of a call's bar. Times are milliseconds since the epoch. */
export interface Span {
  readonly stage: "dispatched" | "acked" | "running" | "asking" | "answering"
  readonly start: number
  readonly end: number
}

export function stageOf({ record, ackedAt, answeringAt }: CallTrace): CallStage {
  if (record.phase === "failed") return record.isCancelled ? "cancelled" : "failed"
  if (record.phase === "answered") {
    const { text, is_error } = record.answer
    if (is_error && isTimeout(record.tool, text)) return "timed_out"
    if (record.approvals.at(-1)?.status === "refused") return "refused"
    return is_error ? "error" : "answered"
  }
  if (answeringAt !== undefined) return "answering"
  if (record.approvals.some(({ status }) => status === "waiting")) return "asking"
  if (record.phase === "running") return "running"
  return ackedAt === undefined ? "dispatched" : "acked"
}

export const isInFlight = (trace: CallTrace): boolean => trace.record.settledAt === undefined

export const endOf = ({ record }: CallTrace, now: number): number => Math.max(record.receivedAt, record.settledAt ?? now)

export const durationOf = (trace: CallTrace, now: number): number => endOf(trace, now) - trace.record.receivedAt

/** The pieces in the order they are drawn: `asking` lies over `running`. */
export function spansOf(trace: CallTrace, now: number): readonly Span[] {
  const { record, ackedAt, answeringAt } = trace
  const end = endOf(trace, now)
  // An answer to a caller within the page is sent to nobody: it ends with its run.
  const runEnd = Math.min(answeringAt ?? end, end)
  const waitEnd = Math.min(record.startedAt ?? runEnd, runEnd)
  const ackEnd = Math.min(ackedAt ?? waitEnd, waitEnd)
  const spans: Span[] = [
    { stage: "dispatched", start: record.receivedAt, end: ackEnd },
    { stage: "acked", start: ackEnd, end: waitEnd },
  ]
  if (record.startedAt !== undefined) spans.push({ stage: "running", start: record.startedAt, end: runEnd })
  for (const { askedAt, answeredAt } of record.approvals) spans.push({ stage: "asking", start: askedAt, end: Math.min(answeredAt ?? runEnd, runEnd) })
  spans.push({ stage: "answering", start: runEnd, end })
  return spans.filter((span) => span.end > span.start)
}
