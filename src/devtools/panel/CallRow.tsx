import type { JSX } from "react"
import { BY_HAND, type CallTrace } from "../recorder/history.ts"
import { durationOf, spansOf, stageOf } from "./callSpans.ts"
import { formatDuration } from "./formatTime.ts"
import { StageMark } from "./StageMark.tsx"
import type { TimeScale } from "./timeScale.ts"

export interface CallRowProps {
  readonly trace: CallTrace
  readonly scale: TimeScale
  readonly now: number
  /** Several tool clients are there, so each row says whose it is. */
  readonly hasClients: boolean
}

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`

/** Characters of the arguments that a row shows; more does not fit. */
const PREVIEW_LENGTH = 120

const previewOf = (args: unknown): string => {
  const text = JSON.stringify(args) ?? ""
  return text === "{}" ? "" : text.slice(0, PREVIEW_LENGTH)
}

/** One line of the time line. */
export function CallRow({ trace, scale, now, hasClients }: CallRowProps): JSX.Element {
  const stage = stageOf(trace)
  const { record } = trace
  const { progress } = record
  const start = scale.at(record.receivedAt)
  const done = progress?.total !== undefined && record.settledAt === undefined ? progress.done / progress.total : undefined
  return (
    <div className="call">
      <StageMark stage={stage} />
      <span className="call-name">
        <span className="call-tool">
          {hasClients && <span className="dim">{`${trace.client} · `}</span>}
          {trace.tool}
        </span>
        {done !== undefined && <span className="tag">{`${Math.round(done * 100)} %`}</span>}
        {record.via !== undefined && <span className="tag">{record.via === BY_HAND ? "by hand" : `via ${record.via}`}</span>}
        {trace.copies > 1 && <span className="tag" title={`Dispatched ${trace.copies} times, run once`}>{`×${trace.copies}`}</span>}
      </span>
      <span className="call-args">{previewOf(record.arguments)}</span>
      <span className="call-time">{formatDuration(durationOf(trace, now))}</span>
      <span className="call-line" aria-hidden="true">
        {scale.breaks.map(({ at, width }) => (
          <span key={at} className="break" style={{ left: percent(at), width: percent(width) }} />
        ))}
        <span className={`bar-end ${stage}`} style={{ left: percent(start), width: percent(scale.at(record.settledAt ?? now) - start) }} />
        {spansOf(trace, now).map((span, index) => {
          const left = scale.at(span.start)
          return <span key={index} className={`bar ${span.stage}`} style={{ left: percent(left), width: percent(scale.at(span.end) - left) }} />
        })}
        {done !== undefined && <span className="bar-progress" style={{ left: percent(start), width: percent((scale.at(now) - start) * done) }} />}
      </span>
    </div>
  )
}
