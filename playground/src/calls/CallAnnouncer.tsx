import type { CallRecord } from "react-tool-client"
import { durationOf, formatDuration, lookOf } from "./describeCall.ts"

/** Tells a screen reader of the call that was settled last. */
export function CallAnnouncer({ calls }: { readonly calls: readonly CallRecord[] }) {
  const last = calls
    .filter(({ settledAt }) => settledAt !== undefined)
    .reduce<CallRecord | null>((latest, call) => (latest && (latest.settledAt ?? 0) > (call.settledAt ?? 0) ? latest : call), null)
  return (
    <p role="status" className="visually-hidden">
      {last && `${last.tool}: ${lookOf(last).word} in ${formatDuration(durationOf(last, last.receivedAt))}`}
    </p>
  )
}
