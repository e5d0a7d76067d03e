import type { JSX } from "react"
import type { Session } from "../../toolClient/session.ts"
import type { StatusTrace } from "../recorder/history.ts"
import type { Recorder } from "../recorder/recorder.ts"
import { formatClock, formatDuration } from "./formatTime.ts"
import { useNow } from "./useHistory.ts"

export interface ConnectionViewProps {
  readonly session: Session
  readonly recorder: Recorder
  readonly statuses: readonly StatusTrace[]
}

/** Transitions that are listed; older ones are of no use any more. */
const LISTED = 500

/** How the session and its tool clients came to be what they are, newest first. */
export function ConnectionView({ session, recorder, statuses }: ConnectionViewProps): JSX.Element {
  const now = useNow(recorder, true)
  const mayRetry = session.state.status === "reconnecting" || session.state.status === "failed"
  const latest = new Map<string | undefined, number>()
  const listed = statuses
    .slice(-LISTED)
    .reverse()
    .map((trace) => {
      const until = latest.get(trace.client)
      latest.set(trace.client, trace.at)
      return { ...trace, until }
    })
  return (
    <div className="main connection" tabIndex={0} role="group" aria-label="Connection history">
      <div className="toolbar">
        <span>{`Session ${session.state.id}`}</span>
        <span className="spacer" />
        <button type="button" className="button" disabled={!mayRetry} onClick={() => session.retry()}>
          Connect now
        </button>
      </div>
      <ol className="statuses">
        {listed.map(({ key, at, client, status, error, until }) => (
          <li key={key} className={client === undefined ? "of-session" : "of-client"}>
            <span className="mono dim">{formatClock(at, true)}</span>
            <span className="status-subject">{client ?? "session"}</span>
            <span className={`status ${status}`}>{status}</span>
            <span className="status-for">{until === undefined ? `for ${formatDuration(Math.max(0, now - at))} now` : `for ${formatDuration(Math.max(0, until - at))}`}</span>
            {error !== undefined && <span className="status-error">{error}</span>}
          </li>
        ))}
      </ol>
    </div>
  )
}
