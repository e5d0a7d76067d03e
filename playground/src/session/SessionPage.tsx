import { useSession, useToolApproval, useToolClient } from "react-tool-client"
import { ToolDevtools } from "react-tool-client/devtools"
import { ApprovalDialog } from "../approval/ApprovalDialog.tsx"
import { CallList } from "../calls/CallList.tsx"
import { ContactCard } from "../contact/ContactCard.tsx"
import { Columns } from "../layout/Columns.tsx"
import layout from "../layout/layout.module.css"
import { ShopCard } from "../shop/ShopCard.tsx"
import { TodoCard } from "../todos/TodoCard.tsx"
import { AgentTabs } from "./AgentTabs.tsx"
import type { BackEnd } from "./backEnd.ts"
import styles from "./session.module.css"
import { SessionBar } from "./SessionBar.tsx"
import { useSessionId } from "./useSessionId.ts"

export interface SessionPageProps {
  readonly backEnd: BackEnd
  /** Which agent the address asks for: `console`, or the chat. */
  readonly agentParam: string | null
}

/** A small application that offers tools, beside the agent that calls them. */
export function SessionPage({ backEnd, agentParam }: SessionPageProps) {
  const { sessionId, error, retry } = useSessionId(backEnd)
  const session = useSession(sessionId)
  const client = useToolClient(session, "web")
  const { ask, pending, waiting } = useToolApproval()

  return (
    <>
      <SessionBar session={session} sessionId={sessionId} client={client} />
      {error && (
        <div role="alert" className={styles.noSession}>
          <p>There is no session: {error.message}</p>
          <button type="button" onClick={retry}>
            Try again
          </button>
        </div>
      )}
      <Columns
        mainTitle="Application"
        mainLabel="The application"
        main={
          <>
            <TodoCard client={client} />
            <ContactCard client={client} ask={ask} />
            <div className={layout.wide}>
              <ShopCard client={client} ask={ask} />
            </div>
          </>
        }
        asideId="session-agent"
        asideTitle="Agent"
        asideLabel="The agent"
        aside={
          <>
            <AgentTabs sessionId={sessionId} client={client} agentParam={agentParam} />
            <CallList client={client} />
          </>
        }
      />
      <ToolDevtools session={session} />
      {pending && <ApprovalDialog key={pending.callId} pending={pending} behind={waiting.length - 1} />}
    </>
  )
}
