import { useSession, useToolApproval, useToolClient } from "react-tool-client"
import { AgentConsole } from "./agent/AgentConsole.tsx"
import { ApprovalDialog } from "./approval/ApprovalDialog.tsx"
import { CallList } from "./calls/CallList.tsx"
import { ContactCard } from "./contact/ContactCard.tsx"
import styles from "./playground.module.css"
import type { BackEnd } from "./session/backEnd.ts"
import { SessionHeader } from "./session/SessionHeader.tsx"
import { useSessionId } from "./session/useSessionId.ts"
import { ShopCard } from "./shop/ShopCard.tsx"
import { TodoCard } from "./todos/TodoCard.tsx"

/** A small application that offers tools, beside a console to be the agent that calls them. */
export function Playground({ backEnd }: { readonly backEnd: BackEnd }) {
  const { sessionId, error, retry } = useSessionId(backEnd)
  const session = useSession(sessionId)
  const client = useToolClient(session, "web")
  const { ask, pending, waiting } = useToolApproval()

  return (
    <>
      <a className={styles.skip} href="#agent">
        Skip to the agent console
      </a>
      <SessionHeader session={session} sessionId={sessionId} client={client} />
      {error && (
        <div role="alert" className={styles.noSession}>
          <p>There is no session: {error.message}</p>
          <button type="button" onClick={retry}>
            Try again
          </button>
        </div>
      )}
      <div className={styles.columns}>
        <main className={styles.application} aria-label="The application">
          <TodoCard client={client} />
          <ContactCard client={client} ask={ask} />
          <ShopCard client={client} ask={ask} />
        </main>
        <aside id="agent" className={styles.agent} aria-label="The agent" tabIndex={-1}>
          <AgentConsole sessionId={sessionId} client={client} />
          <CallList client={client} />
        </aside>
      </div>
      {pending && <ApprovalDialog key={pending.callId} pending={pending} behind={waiting.length - 1} />}
    </>
  )
}
