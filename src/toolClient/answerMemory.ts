import { errorAnswer } from "../tool/answer.ts"
import type { ToolAnswer } from "../tool/toolSpec.ts"

/** Answers remembered at most; beyond, only that the oldest ran is known. */
export const ANSWERS_KEPT = 1_000

/** Characters of those answers at most. */
export const ANSWER_TEXT_KEPT = 8 * 1024 * 1024

/**
 * Calls remembered at most, answers or not, about 10 MB of ids: more than 300 a second for as long as a call can be dispatched again
 * (`RESULT_DEADLINE_MS`). They are forgotten by count alone: a clock that jumps must not make a call run twice.
 */
export const CALLS_KEPT = 100_000

const FORGOTTEN = errorAnswer("The tool ran, but its result is not kept any more: check what it would have changed before you call it again.")

interface Remembered {
  readonly isRunning: boolean
  readonly answer?: ToolAnswer | undefined
}

/** Shared by all that are known by their ids only. */
const RUNNING: Remembered = { isRunning: true }
const UNWANTED: Remembered = { isRunning: false }
const RAN: Remembered = { isRunning: false, answer: FORGOTTEN }

/** Which calls have come, and what they were answered, so that a repeated dispatch runs nothing twice. */
export interface AnswerMemory {
  /** `undefined` for a call that has not been seen; its `answer` is missing while it runs. */
  get(callId: string): { readonly answer?: ToolAnswer | undefined } | undefined
  begin(callId: string): void
  /** It runs no more. One that nobody wanted any more has no answer. */
  finish(callId: string, answer: ToolAnswer | undefined): void
}

export function createAnswerMemory(): AnswerMemory {
  // In the order of arrival, which is what a Map keeps.
  const calls = new Map<string, Remembered>()
  /** Those with an answer of their own, in the order in which they were answered. */
  const answers = new Map<string, ToolAnswer>()
  let textKept = 0

  function forgetAnswer(callId: string): void {
    textKept -= answers.get(callId)?.text.length ?? 0
    if (answers.delete(callId)) calls.set(callId, RAN)
  }

  return {
    get: (callId) => calls.get(callId),
    begin(callId) {
      for (const [oldId, { isRunning }] of calls) {
        if (calls.size < CALLS_KEPT) break
        // One that still runs stays: forgetting it would run it again.
        if (isRunning) continue
        forgetAnswer(oldId)
        calls.delete(oldId)
      }
      calls.set(callId, RUNNING)
    },
    finish(callId, answer) {
      if (!calls.has(callId)) return
      calls.set(callId, answer ? { isRunning: false, answer } : UNWANTED)
      if (!answer) return
      answers.set(callId, answer)
      textKept += answer.text.length
      for (const oldId of answers.keys()) {
        if (answers.size <= ANSWERS_KEPT && textKept <= ANSWER_TEXT_KEPT) break
        forgetAnswer(oldId)
      }
    },
  }
}
