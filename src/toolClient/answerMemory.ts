import type { Clock } from "../lib/clock.ts"
import type { ToolAnswer } from "../tool/toolSpec.ts"
import { RESULT_DEADLINE_MS } from "../wire/limits.ts"

/** A call can be dispatched again until its deadline has passed at the server; half a minute more for what was under way. */
export const MEMORY_MS = RESULT_DEADLINE_MS + 30_000

/** Answers remembered at most; beyond, the oldest is forgotten first. */
export const ANSWERS_KEPT = 1_000

interface Remembered {
  readonly at: number
  isRunning: boolean
  answer?: ToolAnswer | undefined
}

/** Which calls have come, and what they were answered, so that a repeated dispatch runs nothing twice. */
export interface AnswerMemory {
  /** `undefined` for a call that has not been seen; its `answer` is missing while it runs. */
  get(callId: string): { readonly answer?: ToolAnswer | undefined } | undefined
  begin(callId: string): void
  /** It runs no more. One that nobody wanted any more has no answer. */
  finish(callId: string, answer: ToolAnswer | undefined): void
}

export function createAnswerMemory(clock: Clock): AnswerMemory {
  // In the order of arrival, which is what a Map keeps.
  const calls = new Map<string, Remembered>()
  return {
    get: (callId) => calls.get(callId),
    begin(callId) {
      for (const [oldId, old] of calls) {
        const isStale = clock.now() - old.at > MEMORY_MS || calls.size >= ANSWERS_KEPT
        // One that still runs stays: forgetting it would run it again.
        if (!isStale) break
        if (!old.isRunning) calls.delete(oldId)
      }
      calls.set(callId, { at: clock.now(), isRunning: true })
    },
    finish(callId, answer) {
      const call = calls.get(callId)
      if (call) Object.assign(call, { isRunning: false, answer })
    },
  }
}
