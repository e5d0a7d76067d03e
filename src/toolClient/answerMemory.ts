import type { Clock } from "../lib/clock.ts"
import { errorAnswer } from "../tool/answer.ts"
import type { ToolAnswer } from "../tool/toolSpec.ts"
import { RESULT_DEADLINE_MS } from "../wire/limits.ts"

/** A call can be dispatched again until its deadline has passed at the server; half a minute more for what was under way. */
export const MEMORY_MS = RESULT_DEADLINE_MS + 30_000

/** Answers remembered at most; beyond, only that the oldest ran is known. */
export const ANSWERS_KEPT = 1_000

/** Characters of those answers at most. */
export const ANSWER_TEXT_KEPT = 8 * 1024 * 1024

/** Calls remembered at most, answers or not: nothing that is alive gets so many in the time that they are kept. */
export const CALLS_KEPT = 100_000

const FORGOTTEN = errorAnswer("The tool ran, but its result is not kept any more: check what it would have changed before you call it again.")

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
  /** Those with an answer of their own, in the order in which they were answered. */
  const answered = new Set<Remembered>()
  let textKept = 0

  function forgetAnswer(call: Remembered): void {
    if (!answered.delete(call)) return
    textKept -= call.answer?.text.length ?? 0
    call.answer = FORGOTTEN
  }

  return {
    get: (callId) => calls.get(callId),
    begin(callId) {
      for (const [oldId, old] of calls) {
        const isStale = clock.now() - old.at > MEMORY_MS || calls.size >= CALLS_KEPT
        if (!isStale) break
        // One that still runs stays: forgetting it would run it again.
        if (old.isRunning) continue
        forgetAnswer(old)
        calls.delete(oldId)
      }
      calls.set(callId, { at: clock.now(), isRunning: true })
    },
    finish(callId, answer) {
      const call = calls.get(callId)
      if (!call) return
      Object.assign(call, { isRunning: false, answer })
      if (!answer) return
      answered.add(call)
      textKept += answer.text.length
      for (const old of answered) {
        if (answered.size <= ANSWERS_KEPT && textKept <= ANSWER_TEXT_KEPT) break
        forgetAnswer(old)
      }
    },
  }
}
