import { type ToolClient, useToolCalls } from "react-tool-client"
import { Card } from "../ui/Card.tsx"
import { CallAnnouncer } from "./CallAnnouncer.tsx"
import { CallRow } from "./CallRow.tsx"
import styles from "./calls.module.css"
import { isInFlight } from "./describeCall.ts"
import { useNow } from "./useNow.ts"

/** What the page's tool client was asked to do, live: the calls in flight and the last settled ones, newest first. */
export function CallList({ client }: { readonly client: ToolClient }) {
  const calls = useToolCalls(client)
  const inFlight = calls.filter(isInFlight).length
  const now = useNow(inFlight > 0)
  return (
    <Card title="Calls" aside={inFlight > 0 ? `${inFlight} in flight` : `${calls.length} so far`}>
      {calls.length === 0 ? (
        <p className="empty">What agents call in this page shows up here, as it happens.</p>
      ) : (
        <ol className={styles.calls} aria-label="Calls, newest first">
          {calls.toReversed().map((call) => (
            <CallRow key={call.callId} call={call} now={now} />
          ))}
        </ol>
      )}
      <CallAnnouncer calls={calls} />
    </Card>
  )
}
