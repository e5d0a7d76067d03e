import type { CallRecord } from "react-tool-client"
import type { Tone } from "../ui/Badge.tsx"

export const isInFlight = ({ phase }: CallRecord): boolean => phase === "acked" || phase === "running"

export interface CallLook {
  readonly tone: Tone
  readonly word: string
}

/** How a call is shown: its phase, and within it what a person should know. */
export function lookOf(call: CallRecord): CallLook {
  switch (call.phase) {
    case "acked":
      return { tone: "quiet", word: "acked" }
    case "running":
      return call.approvals.some(({ status }) => status === "waiting") ? { tone: "asking", word: "asking" } : { tone: "busy", word: "running" }
    case "answered":
      // The person whom the tool asked has said no, whatever the tool made of it.
      if (call.approvals.at(-1)?.status === "refused") return { tone: "asking", word: "refused" }
      return call.answer.is_error ? { tone: "bad", word: "error" } : { tone: "good", word: "answered" }
    case "failed":
      return call.isCancelled ? { tone: "quiet", word: "cancelled" } : { tone: "bad", word: "failed" }
    default:
      return call satisfies never
  }
}

/** Milliseconds as people read them. */
export const formatDuration = (ms: number): string => (ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`)

export const durationOf = ({ receivedAt, settledAt }: CallRecord, now: number): number => (settledAt ?? now) - receivedAt

/** The call's way, step by step. */
export function stepsOf(call: CallRecord): readonly string[] {
  const { receivedAt, startedAt, settledAt, approvals, phase } = call
  const after = (time: number): string => `after ${formatDuration(time - receivedAt)}`
  return [
    "acked",
    ...(startedAt === undefined ? [] : [`running ${after(startedAt)}`]),
    ...approvals.flatMap(({ askedAt, answeredAt, status, by }) => [
      `asked a person ${after(askedAt)}`,
      ...(answeredAt === undefined ? [] : [`${status} by ${by ?? "nobody"} ${after(answeredAt)}`]),
    ]),
    ...(settledAt === undefined ? [] : [`${phase === "failed" && call.isCancelled ? "cancelled" : phase} ${after(settledAt)}`]),
  ]
}
