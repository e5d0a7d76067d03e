import type { CallRecord } from "react-tool-client"
import { AnswerText } from "../ui/AnswerText.tsx"
import { Badge } from "../ui/Badge.tsx"
import styles from "./calls.module.css"
import { durationOf, formatDuration, isInFlight, lookOf, stepsOf } from "./describeCall.ts"

export interface CallRowProps {
  readonly call: CallRecord
  /** Milliseconds since the epoch, for the duration of what still runs. */
  readonly now: number
}

const oneLine = (value: unknown): string => JSON.stringify(value) ?? ""

/** One call: its phase, how long it takes, and unfolded its way, its arguments and its answer. */
export function CallRow({ call, now }: CallRowProps) {
  const { tone, word } = lookOf(call)
  const progress = isInFlight(call) ? call.progress : undefined
  return (
    <li className={styles.call} data-phase={call.phase} data-tool={call.tool}>
      <details>
        <summary>
          <Badge tone={tone}>{word}</Badge>
          <code className={styles.tool}>{call.tool}</code>
          <span className={styles.arguments}>{oneLine(call.arguments)}</span>
          <span className={styles.duration}>{formatDuration(durationOf(call, now))}</span>
        </summary>
        <div className={styles.more}>
          <p className={styles.steps}>{stepsOf(call).join(" · ")}</p>
          <AnswerText isCaptioned label="Arguments" text={oneLine(call.arguments)} />
          {call.answer && <AnswerText isCaptioned label="Answer" text={call.answer.text} />}
          {call.phase === "failed" && <AnswerText isCaptioned label={call.isCancelled ? "Why it was cancelled" : "Why it failed"} text={String(call.error)} />}
        </div>
      </details>
      {progress && (
        <label className={styles.progress}>
          <span>{progress.message ?? "Working"}</span>
          <progress value={progress.done} max={progress.total} />
        </label>
      )}
    </li>
  )
}
