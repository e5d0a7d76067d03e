import { useEffect, useRef, useState } from "react"
import type { JsonValue } from "react-tool-client"
import { ToolForm } from "../agent/ToolForm.tsx"
import { AnswerText } from "../ui/AnswerText.tsx"
import { Badge } from "../ui/Badge.tsx"
import row from "../ui/row.module.css"
import { type ExecutedTool, executeTool, type RegisteredTool, schemaOf } from "./modelContext.ts"

type Outcome = { readonly status: "running" } | ({ readonly status: "ended" } & ExecutedTool)

/** One tool as the browser's agent sees it; unfolded, a form to call it as that one does. */
export function RegisteredToolRow({ tool }: { readonly tool: RegisteredTool }) {
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const hints = Object.entries(tool.annotations ?? {}).flatMap(([hint, value]) => (value === true ? [hint] : []))

  async function call(input: JsonValue): Promise<void> {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setOutcome({ status: "running" })
    const ended = await executeTool(tool, input, controller.signal).catch((error: Error): ExecutedTool => ({ text: error.message, isError: true }))
    if (running.current === controller) setOutcome({ status: "ended", ...ended })
  }

  const schema = schemaOf(tool)
  return (
    <details className={row.row} data-tool={tool.name}>
      <summary>
        <code>{tool.name}</code>
        <span>{tool.description}</span>
      </summary>
      <div className={row.content}>
        {hints.length > 0 && (
          <p className={row.marks}>
            {hints.map((hint) => (
              <Badge key={hint} tone="quiet">
                {hint}
              </Badge>
            ))}
          </p>
        )}
        <ToolForm key={JSON.stringify(schema)} parameters={schema} onCall={(input) => void call(input)} />
        <div aria-live="polite" className={row.reply} aria-label={`Reply of ${tool.name}`} role="group">
          {outcome?.status === "running" && <Badge tone="busy">running</Badge>}
          {outcome?.status === "ended" && (
            <>
              {outcome.isError ? <Badge tone="bad">error</Badge> : <Badge tone="good">answer</Badge>}
              <AnswerText label="Answer" text={outcome.text} />
            </>
          )}
        </div>
      </div>
    </details>
  )
}
