import { AnswerText } from "../ui/AnswerText.tsx"
import { Badge } from "../ui/Badge.tsx"
import styles from "./agent.module.css"
import { parseToolName } from "./toolName.ts"
import { type AgentCall, isOver } from "./useAgentCalls.ts"

export interface AgentCallListProps {
  /** Newest first. */
  readonly calls: readonly AgentCall[]
  onCancel(this: void, call: AgentCall): void
}

function badgeOf({ outcome, error }: AgentCall) {
  if (error) return <Badge tone="bad">refused</Badge>
  if (!outcome) return <Badge tone="busy">waiting</Badge>
  return outcome.is_error ? <Badge tone="bad">error</Badge> : <Badge tone="good">answer</Badge>
}

/** What the agent got: the calls made from the console, and the text that a model would read. */
export function AgentCallList({ calls, onCancel }: AgentCallListProps) {
  return (
    <section aria-label="What the agent got" className={styles.answers} aria-live="polite">
      {calls.map((call) => (
        <article key={call.key} className={styles.answer} aria-label={`Call of ${parseToolName(call.tool).tool}`}>
          <header>
            {badgeOf(call)}
            <code>{parseToolName(call.tool).tool}</code>
            {!isOver(call) && (
              <button type="button" className="secondary small" disabled={call.callId === undefined || call.isCancelling} onClick={() => onCancel(call)}>
                {call.isCancelling ? "Cancelling" : "Cancel"}
              </button>
            )}
          </header>
          {call.outcome && <AnswerText label="Answer" text={call.outcome.text} />}
          {call.error && <AnswerText label="Error" text={call.error.message} />}
        </article>
      ))}
    </section>
  )
}
