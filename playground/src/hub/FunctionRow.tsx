import { useEffect, useRef } from "react"
import type { JsonValue } from "react-tool-client"
import type { ListedFunction } from "react-tool-client/hub"
import { useHub } from "react-tool-client/hub/react"
import { useRemoteCall } from "react-tool-client/query"
import { ToolForm } from "../agent/ToolForm.tsx"
import { AnswerText } from "../ui/AnswerText.tsx"
import { Badge } from "../ui/Badge.tsx"
import row from "../ui/row.module.css"

export interface FunctionRowProps {
  readonly remotename: string
  readonly listed: ListedFunction
}

const textOf = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value))

/** One function of a remote: unfolded, a form to call it and what came back. */
export function FunctionRow({ remotename, listed: { name, description, parameters } }: FunctionRowProps) {
  const { mutate, data, error, isPending, status } = useRemoteCall(useHub())
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  function call(args: JsonValue): void {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    mutate({ remotename, function: name, args, signal: controller.signal })
  }

  return (
    <details className={row.row}>
      <summary>
        <code>{name}</code>
        <span>{description}</span>
      </summary>
      <div className={row.content}>
        <ToolForm
          // A changed schema is another form.
          key={JSON.stringify(parameters)}
          parameters={parameters}
          action="Call function"
          onCall={call}
          renderBeside={() =>
            isPending && (
              <button type="button" className="quiet" onClick={() => running.current?.abort()}>
                Stop waiting
              </button>
            )
          }
        />
        <div aria-live="polite" className={row.reply} aria-label={`Reply of ${name}`} role="group">
          {status === "pending" && <Badge tone="busy">waiting</Badge>}
          {status === "success" && (
            <>
              <Badge tone="good">answer</Badge>
              <AnswerText label="Answer" text={textOf(data)} />
            </>
          )}
          {status === "error" && (
            <>
              <Badge tone="bad">{error.code}</Badge>
              <AnswerText label="Error" text={error.message} />
            </>
          )}
        </div>
      </div>
    </details>
  )
}
