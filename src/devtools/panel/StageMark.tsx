import type { JSX } from "react"
import type { CallStage } from "./callSpans.ts"

/** What each stage is called, for people. */
export const STAGE_NAMES: Readonly<Record<CallStage, string>> = {
  dispatched: "dispatched",
  acked: "waits its turn",
  running: "running",
  asking: "asks a person",
  answering: "answering",
  answered: "answered",
  refused: "refused",
  error: "error",
  timed_out: "timed out",
  failed: "failed",
  cancelled: "cancelled",
}

/** The same where there is room to say it whole. */
export const STAGE_WORDS: Readonly<Record<CallStage, string>> = {
  dispatched: "dispatched",
  acked: "acked, waits its turn",
  running: "running",
  asking: "asks a person",
  answering: "its answer is on the way",
  answered: "answered",
  refused: "answered: a person was asked, and refused",
  error: "answered with an error",
  timed_out: "answered with an error: its time was up",
  failed: "failed: its answer was not taken",
  cancelled: "cancelled: nobody wants its answer any more",
}

const RING = "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11z"

/** Drawn in a square of 16: lines, and on the way a ring that fills. */
const SHAPES: Readonly<Record<CallStage, { readonly line: string; readonly fill?: string }>> = {
  dispatched: { line: RING },
  acked: { line: RING, fill: "M8 8V2.5A5.5 5.5 0 0 1 13.5 8z" },
  running: { line: RING, fill: "M8 2.5A5.5 5.5 0 0 1 8 13.5z" },
  asking: { line: "M5.3 5.8a2.7 2.7 0 1 1 4 2.3C8.4 8.6 8 9.1 8 10M8 12.6v.4" },
  answering: { line: RING, fill: "M8 8V2.5A5.5 5.5 0 1 1 2.5 8z" },
  answered: { line: "M3 8.5l3.5 3.5L13 4.5" },
  refused: { line: `${RING}M5.3 8h5.4` },
  error: { line: "M8 3v6M8 12.4v.4" },
  timed_out: { line: `${RING}M8 5v3.3l2.2 1.3` },
  failed: { line: "M4 4l8 8M12 4l-8 8" },
  cancelled: { line: `${RING}M4.1 11.9l7.8-7.8` },
}

export interface StageMarkProps {
  readonly stage: CallStage
  /** Its word stands beside it, so that it is not said twice. */
  readonly isNamed?: boolean
}

/** A stage as a sign: its shape says it too, not only its colour. */
export function StageMark({ stage, isNamed = false }: StageMarkProps): JSX.Element {
  const { line, fill } = SHAPES[stage]
  const name = isNamed ? ({ "aria-hidden": true } as const) : ({ role: "img", "aria-label": STAGE_WORDS[stage], title: STAGE_WORDS[stage] } as const)
  return (
    <span className={`mark ${stage}`} {...name}>
      <svg viewBox="0 0 16 16" width="14" height="14" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
        <path d={line} />
        {fill !== undefined && <path d={fill} fill="currentColor" stroke="none" />}
      </svg>
    </span>
  )
}
