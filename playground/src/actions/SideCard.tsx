import type { JsonSchema } from "react-tool-client"
import { ToolError, type ToolInterrupt } from "react-tool-client/tools"
import { ToolForm } from "../agent/ToolForm.tsx"
import { formatDuration } from "../calls/describeCall.ts"
import { AnswerText } from "../ui/AnswerText.tsx"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import styles from "./actions.module.css"
import type { Side } from "./useSide.ts"

export interface SideCardProps {
  readonly title: string
  /** Where it runs, in a sentence. */
  readonly note: string
  readonly side: Side
}

const TONES: Readonly<Record<Side["state"]["status"], Tone>> = {
  idle: "quiet",
  running: "busy",
  completed: "good",
  failed: "bad",
  interrupted: "asking",
}

/** What the action needs to be told, where it says so; anything otherwise. */
const answerSchema = ({ data }: ToolInterrupt): JsonSchema => (data as { readonly answer?: JsonSchema } | null)?.answer ?? {}

/** One action as it was called one way: how it stands, what it asks, what it gave and what it emitted. */
export function SideCard({ title, note, side: { state, ms, items, reset } }: SideCardProps) {
  return (
    <Card
      title={title}
      aside={
        <span className={styles.standing}>
          {ms !== null && state.status !== "running" && state.status !== "idle" && <span>{formatDuration(ms)}</span>}
          <span role="status">
            <Badge tone={TONES[state.status]}>{state.status}</Badge>
          </span>
        </span>
      }
    >
      <p className={styles.note}>{note}</p>
      {state.status === "running" && (
        <button type="button" className="secondary small" onClick={reset}>
          Give up
        </button>
      )}
      {state.status === "completed" && <AnswerText isCaptioned label="Output" text={JSON.stringify(state.data)} />}
      {state.status === "failed" && (
        <AnswerText isCaptioned label={`Error${state.error instanceof ToolError ? `: ${state.error.code}` : ""}`} text={state.error.message} />
      )}
      {state.status === "interrupted" && (
        <section className={styles.interrupt} aria-label={`It asks: ${title}`}>
          <p>{state.interrupt.message}</p>
          <ToolForm parameters={answerSchema(state.interrupt)} heading="Answer" action="Resume" onCall={state.resume} />
        </section>
      )}
      {items.length > 0 && (
        <section aria-label={`Items: ${title}`} className={styles.items}>
          <h3>Items</h3>
          <ul>
            {items.map(({ type, ...rest }, index) => (
              // Items are history: they only come at the end.
              <li key={index}>
                <Badge tone="quiet">{type}</Badge> <code>{JSON.stringify(rest)}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Card>
  )
}
