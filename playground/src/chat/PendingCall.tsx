import { getToolOrDynamicToolName } from "ai"
import { parseToolName } from "../agent/toolName.ts"
import calls from "../calls/calls.module.css"
import { AnswerText } from "../ui/AnswerText.tsx"
import { Badge, type Tone } from "../ui/Badge.tsx"
import type { ToolPart } from "./chatCalls.ts"

export interface PendingCallProps {
  readonly part: ToolPart
  /** Whether the agent may still hear of it. */
  readonly isLive: boolean
}

function lookOf({ state }: ToolPart, isLive: boolean): { readonly tone: Tone; readonly word: string } {
  if (state === "output-available") return { tone: "good", word: "answered" }
  if (state === "output-error" || !isLive) return { tone: "bad", word: "failed" }
  return { tone: "quiet", word: "dispatched" }
}

/** A call that this page has no record of: it is on its way here, or another tab's. */
export function PendingCall({ part, isLive }: PendingCallProps) {
  const { tone, word } = lookOf(part, isLive)
  const { client, tool } = parseToolName(getToolOrDynamicToolName(part))
  const args = JSON.stringify(part.input ?? {})
  return (
    <li className={calls.call} data-phase={word} data-tool={tool}>
      <details>
        <summary>
          <Badge tone={tone}>{word}</Badge>
          <code className={calls.tool}>{tool}</code>
          <span className={calls.arguments}>{args}</span>
          <span className={calls.duration}>{client}</span>
        </summary>
        <div className={calls.more}>
          <AnswerText isCaptioned label="Arguments" text={args} />
          {part.state === "output-available" && <AnswerText isCaptioned label="Answer" text={String(part.output)} />}
          {part.state === "output-error" && <AnswerText isCaptioned label="Why it failed" text={part.errorText} />}
        </div>
      </details>
    </li>
  )
}
