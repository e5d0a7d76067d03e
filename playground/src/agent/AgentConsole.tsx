import { useMemo, useState } from "react"
import type { ToolClient } from "react-tool-client"
import { Card } from "../ui/Card.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import styles from "./agent.module.css"
import { createAgentApi } from "./agentApi.ts"
import { AgentCallList } from "./AgentCallList.tsx"
import { curlLine } from "./curlLine.ts"
import { ToolForm } from "./ToolForm.tsx"
import { ToolPicker } from "./ToolPicker.tsx"
import { useAgentCalls } from "./useAgentCalls.ts"
import { useSessionTools } from "./useSessionTools.ts"

export interface AgentConsoleProps {
  readonly sessionId: string | null
  /** The page's own: its changes are when to look for tools anew. */
  readonly client: ToolClient
}

/** Lets a person be the agent: pick a tool, call it, read what a model would read. */
export function AgentConsole({ sessionId, client }: AgentConsoleProps) {
  const agent = useMemo(() => (sessionId === null ? null : createAgentApi(sessionId)), [sessionId])
  const { tools, error } = useSessionTools(agent, client)
  const { calls, call, cancel } = useAgentCalls(agent)
  const [picked, setPicked] = useState<string | null>(null)
  // What is picked stays picked while its tool is away, with the form that it had.
  const [kept, setKept] = useState(tools?.[0])
  const current = tools?.find(({ name }) => name === picked) ?? (picked === null ? tools?.[0] : undefined)
  if (current && current !== kept) setKept(current)
  const tool = current ?? kept

  return (
    <Card title="Agent console" aside={tools ? `${tools.length} tools` : "Looking for tools"}>
      {tool && agent ? (
        <>
          <ToolPicker tools={tools ?? []} picked={tool} isOffered={current !== undefined} onPick={setPicked} />
          <ToolForm
            key={tool.name}
            parameters={tool.parameters}
            onCall={(args) => void call(tool.name, args)}
            renderBeside={(args) => <CopyButton label="Copy as curl" text={curlLine(new URL(agent.url, location.href).href, tool.name, args)} />}
          />
        </>
      ) : (
        <p className="empty">The tools appear here once the page is connected.</p>
      )}
      {error && (
        <p role="alert" className={styles.problem}>
          The tools could not be listed: {error.message}
        </p>
      )}
      <AgentCallList calls={calls} onCancel={(running) => void cancel(running)} />
    </Card>
  )
}
