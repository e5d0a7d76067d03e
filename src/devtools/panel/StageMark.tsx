import type { JSX } from "react"
import type { CallStage } from "./callSpans.ts"

/** What each stage is called, for people. */
export const STAGE_WORDS: Readonly<Record<CallStage, string>> = {
  dispatched: "dispatched",
  acked: "acked, waits its turn",
  running: "running",
  asking: "asks a person",
  answering: "its answer is on the way",
  answered: "answered",
  error: "answered with an error",
  failed: "failed: its answer was not taken",
}

const SIGNS: Readonly<Record<CallStage, string>> = {
  dispatched: "○",
  acked: "◔",
  running: "◑",
  asking: "?",
  answering: "◕",
  answered: "✓",
  error: "!",
  failed: "✕",
}

/** A stage as a sign: its shape says it too, not only its colour. */
export function StageMark({ stage }: { readonly stage: CallStage }): JSX.Element {
  return (
    <span className={`mark ${stage}`} title={STAGE_WORDS[stage]} role="img" aria-label={STAGE_WORDS[stage]}>
      {SIGNS[stage]}
    </span>
  )
}
