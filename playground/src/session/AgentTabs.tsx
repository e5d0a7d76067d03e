import { lazy, Suspense, useState } from "react"
import type { ToolClient } from "react-tool-client"
import { AgentConsole } from "../agent/AgentConsole.tsx"
import { Card } from "../ui/Card.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import styles from "./session.module.css"

/** Brings the package that reads its stream. */
const ChatCard = lazy(() => import("../chat/ChatCard.tsx"))

export interface AgentTabsProps {
  readonly sessionId: string | null
  readonly client: ToolClient
  /** Which one the address asks for. */
  readonly agentParam: string | null
}

type Panel = "chat" | "console"

/** Either an agent to talk to, or the person as the agent. */
export function AgentTabs({ sessionId, client, agentParam }: AgentTabsProps) {
  const [picked, setPicked] = useState<Panel>(agentParam === "console" ? "console" : "chat")
  return (
    <div className={styles.agent}>
      <Tabs<Panel>
        label="The agent"
        picked={picked}
        onPick={setPicked}
        tabs={[
          {
            id: "chat",
            title: "Chat",
            content: (
              <Suspense fallback={<Card title="Chat">Loading</Card>}>
                <ChatCard sessionId={sessionId} client={client} />
              </Suspense>
            ),
          },
          { id: "console", title: "Console", content: <AgentConsole sessionId={sessionId} client={client} /> },
        ]}
      />
    </div>
  )
}
