import type { JSX } from "react"
import { reasonOf } from "../../tool/reason.ts"
import { BY_HAND, type CallTrace } from "../recorder/history.ts"
import { durationOf, spansOf, stageOf } from "./callSpans.ts"
import { copyAsTest } from "./copyAsTest.ts"
import { CopyButton } from "./CopyButton.tsx"
import { formatClock, formatDuration } from "./formatTime.ts"
import { Icon } from "./Icon.tsx"
import { JsonTree } from "./JsonTree.tsx"
import { STAGE_NAMES, STAGE_WORDS, StageMark } from "./StageMark.tsx"

export interface CallDetailProps {
  readonly trace: CallTrace
  readonly now: number
  onClose(): void
  /** Opens the form with this call's arguments. */
  onCallAgain(): void
}

/** An answer's text is JSON more often than not. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const SPAN_WORDS = {
  dispatched: "until the ack",
  acked: "waiting its turn",
  running: "running",
  asking: "asking a person",
  answering: "until the answer was taken",
} as const

function AnswerText({ text }: { readonly text: string }): JSX.Element {
  const value = parsed(text)
  return typeof value === "object" && value !== null ? <JsonTree value={value} /> : <pre className="text">{text}</pre>
}

/** Everything that is known of one call. */
export function CallDetail({ trace, now, onClose, onCallAgain }: CallDetailProps): JSX.Element {
  const { record } = trace
  const stage = stageOf(trace)
  return (
    <section className="detail" aria-label={`Call of ${trace.tool}`}>
      <header className="detail-head">
        <button type="button" className="icon-button" onClick={onClose} aria-label="Close the call">
          <Icon name="close" />
        </button>
        <h3>{trace.tool}</h3>
        <span className={`stage ${stage}`} title={STAGE_WORDS[stage]}>
          <StageMark stage={stage} isNamed /> {STAGE_NAMES[stage]}
        </span>
      </header>
      <div className="detail-body" tabIndex={0} role="group" aria-label="What is known of it">
        <div className="actions">
          <CopyButton label="Copy as a test" text={() => copyAsTest(trace)} />
          <CopyButton label="Copy arguments" text={() => JSON.stringify(record.arguments, null, 2)} />
          <button type="button" className="button" onClick={onCallAgain}>
            Call again…
          </button>
        </div>

        <h4>Arguments</h4>
        <JsonTree value={record.arguments} />

        <h4>{record.answer?.is_error ? "Answer, an error" : "Answer"}</h4>
        {record.answer ? <AnswerText text={record.answer.text} /> : <p className="dim">{record.settledAt === undefined ? "None yet." : "None."}</p>}
        {stage === "failed" && record.error !== undefined && (
          <p className="problem" role="note">
            {reasonOf(record.error)}
          </p>
        )}
        {(stage === "cancelled" || trace.cancelled !== undefined) && (
          <p className="cancelled-note" role="note">{`Cancelled: ${trace.cancelled ?? reasonOf(record.error)}.`}</p>
        )}
        {record.progress && (
          <p>
            <progress value={record.progress.done} max={record.progress.total ?? record.progress.done} aria-label="Progress" />{" "}
            {`${record.progress.done}${record.progress.total === undefined ? "" : ` of ${record.progress.total}`} ${record.progress.message ?? ""}`}
          </p>
        )}
        {record.approvals.map((approval) => (
          <p key={approval.askedAt} className="asked">
            <StageMark stage={approval.status === "refused" ? "refused" : approval.status === "approved" ? "answered" : "asking"} isNamed /> {`“${approval.message}” ${approval.status}${approval.by ? ` by ${approval.by}` : ""}`}
          </p>
        ))}

        <h4>Times</h4>
        <dl className="facts">
          <dt>came</dt>
          <dd>{formatClock(record.receivedAt, true)}</dd>
          {spansOf(trace, now).map((span) => (
            <div key={`${span.stage}${span.start}`} className="fact">
              <dt>
                <i className={`swatch ${span.stage}`} />
                {SPAN_WORDS[span.stage]}
              </dt>
              <dd>{formatDuration(span.end - span.start)}</dd>
            </div>
          ))}
          <dt>in all</dt>
          <dd>{formatDuration(durationOf(trace, now))}</dd>
          {trace.deadline !== undefined && record.settledAt === undefined && (
            <>
              <dt>deadline in</dt>
              <dd>{formatDuration(Math.max(0, trace.deadline - now))}</dd>
            </>
          )}
          <dt>tool client</dt>
          <dd>{trace.client}</dd>
          <dt>call</dt>
          <dd className="mono">{trace.callId}</dd>
          {record.via !== undefined && (
            <>
              <dt>made</dt>
              <dd>{record.via === BY_HAND ? "by hand: the server has not heard of it" : `within the page, via ${record.via}`}</dd>
            </>
          )}
        </dl>
      </div>
    </section>
  )
}
