import { type Session, type ToolClient, useSessionState, useToolClientState } from "react-tool-client"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import { Icon } from "../ui/Icon.tsx"
import styles from "./session.module.css"

export interface SessionHeaderProps {
  readonly session: Session | null
  readonly sessionId: string | null
  readonly client: ToolClient
}

const SESSION_TONES = { connecting: "busy", open: "good", reconnecting: "busy", failed: "bad", closed: "quiet" } as const satisfies Record<string, Tone>

const CLIENT_TONES = { joining: "busy", serving: "good", leaving: "quiet", left: "quiet", failed: "bad" } as const satisfies Record<string, Tone>

/** Where the page is connected, and how that goes. */
export function SessionHeader({ session, sessionId, client }: SessionHeaderProps) {
  const { status, error } = useSessionState(session)
  const toolClient = useToolClientState(client)
  return (
    <header className={styles.header}>
      <div className={styles.brand}>
        <img src="/icon.svg" alt="" width="32" height="32" />
        <h1>
          react-tool-client <span>playground</span>
        </h1>
      </div>
      <dl className={styles.facts}>
        <div>
          <dt>Session</dt>
          <dd className={styles.sessionId}>
            {sessionId === null ? (
              <span>joining</span>
            ) : (
              <>
                <code data-testid="session-id">{sessionId}</code>
                <CopyButton isBare label="Copy the session id" text={sessionId} />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Connection</dt>
          <dd>
            <span role="status" data-testid="connection">
              <Badge tone={SESSION_TONES[status]}>{status}</Badge>
            </span>
          </dd>
        </div>
        <div>
          <dt>Tool client</dt>
          <dd>
            <span role="status" data-testid="tool-client">
              <Badge tone={CLIENT_TONES[toolClient.status]}>{toolClient.status}</Badge>
              {toolClient.name !== undefined && (
                <>
                  {" as "}
                  <code data-testid="client-name">{toolClient.name}</code>
                </>
              )}
            </span>
          </dd>
        </div>
        <div>
          <dt>Tools live</dt>
          <dd data-testid="tools-live">{toolClient.tools.length}</dd>
        </div>
      </dl>
      <nav className={styles.links} aria-label="Page">
        <a href="#agent" className={styles.toAgent}>
          Agent console
        </a>
        {sessionId !== null && (
          <a href={`?session=${encodeURIComponent(sessionId)}`} target="_blank" rel="noreferrer">
            Second tab <Icon name="external" />
          </a>
        )}
        <a href="./">New session</a>
      </nav>
      {session && (status === "reconnecting" || status === "failed") && (
        <div className={styles.trouble} role="alert">
          <p>
            {status === "failed" ? "The session has ended" : "The connection is lost and tried again"}
            {error ? `: ${error.message}` : "."}
          </p>
          <button type="button" className="secondary small" onClick={session.retry}>
            Connect now
          </button>
        </div>
      )}
    </header>
  )
}
