import type { JSX } from "react"
import { type Session, useSessionState } from "react-tool-client"
import { badgeTone } from "./badgeTone.ts"

/** What a page shows of its session. */
export function SessionStatus({ session }: { readonly session: Session | null }): JSX.Element {
  const { status, error, isRunning } = useSessionState(session)
  const mayRetry = status === "reconnecting" || status === "failed"
  return (
    <section aria-label="Session">
      <h2>Session</h2>
      <dl>
        <dt>status</dt>
        <dd>
          <output className={badgeTone(status)}>{status}</output>
        </dd>
        <dt>agent</dt>
        <dd>{isRunning ? "at work" : "quiet"}</dd>
        {error && (
          <>
            <dt>error</dt>
            <dd>{error.message}</dd>
          </>
        )}
      </dl>
      {mayRetry && (
        <p>
          <button type="button" onClick={() => session?.retry()}>
            Connect now
          </button>
        </p>
      )}
    </section>
  )
}
