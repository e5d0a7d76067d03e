import { type Session, type ToolClient, useSessionState, useToolClientState } from "react-tool-client"
import { CLIENT_TONES, SESSION_TONES, troubleOf } from "../layout/connectionLook.ts"
import { Fact } from "../layout/Fact.tsx"
import { PageBar } from "../layout/PageBar.tsx"
import { Trouble } from "../layout/Trouble.tsx"
import { Badge } from "../ui/Badge.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import { Icon } from "../ui/Icon.tsx"

export interface SessionBarProps {
  readonly session: Session | null
  readonly sessionId: string | null
  readonly client: ToolClient
}

/** Where the page is connected, and how that goes. */
export function SessionBar({ session, sessionId, client }: SessionBarProps) {
  const state = useSessionState(session)
  const toolClient = useToolClientState(client)
  const trouble = session && troubleOf(state)
  return (
    <PageBar
      title="Session"
      lead="A small application offers tools to a session’s agent."
      facts={
        <>
          <Fact label="Session">
            {sessionId === null ? (
              <span>joining</span>
            ) : (
              <>
                <code data-testid="session-id">{sessionId}</code>
                <CopyButton isBare label="Copy the session id" text={sessionId} />
              </>
            )}
          </Fact>
          <Fact label="Connection">
            <span role="status" data-testid="connection">
              <Badge tone={SESSION_TONES[state.status]}>{state.status}</Badge>
            </span>
          </Fact>
          <Fact label="Tool client">
            <span role="status" data-testid="tool-client">
              <Badge tone={CLIENT_TONES[toolClient.status]}>{toolClient.status}</Badge>
              {toolClient.name !== undefined && (
                <>
                  {" as "}
                  <code data-testid="client-name">{toolClient.name}</code>
                </>
              )}
            </span>
          </Fact>
          <Fact label="Agent">
            <span role="status" data-testid="agent-state">
              <Badge tone={state.isRunning ? "busy" : "quiet"}>{state.isRunning ? "working" : "idle"}</Badge>
            </span>
          </Fact>
          <Fact label="Tools live" testId="tools-live">
            {toolClient.tools.length}
          </Fact>
        </>
      }
      links={
        <>
          {sessionId !== null && (
            <a href={`?session=${encodeURIComponent(sessionId)}`} target="_blank" rel="noreferrer">
              Second tab <Icon name="external" />
            </a>
          )}
          <a href="./">New session</a>
        </>
      }
      trouble={trouble && <Trouble message={trouble} action="Connect now" onAction={session.retry} />}
    />
  )
}
