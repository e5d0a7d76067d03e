import { createDeferred } from "../lib/deferred.ts"
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

const LOADED_AGAIN = errorAnswer(
  "The page began this call and was loaded again before it answered. The tool may have run: check what it would have changed before you call it again.",
)

interface Remembered {
  readonly answer: ToolAnswer | Promise<ToolAnswer>
  /** Missing once it runs no more. */
  readonly resolve?: (answer: ToolAnswer) => void
}

/** Shared by all that are known by their ids only. */
const RAN: Remembered = { answer: FORGOTTEN }
const RAN_BEFORE: Remembered = { answer: LOADED_AGAIN }

/**
 * Which calls have come, and what they were answered, so that a repeated dispatch runs nothing twice. One for all tool clients of a page: a
 * call may come again to another of them, which has taken the first one's place at the server.
 */
export interface AnswerMemory {
  /** `undefined` for a call that has not been seen; a promise while it runs. */
  get(callId: string): ToolAnswer | Promise<ToolAnswer> | undefined
  begin(callId: string): void
  /** It runs no more; with what it is answered, or would have been if anybody wanted it. */
  finish(callId: string, answer: ToolAnswer): void
  /** An earlier load of the page has begun these. */
  ranBefore(callIds: readonly string[]): void
  /** Calls that were begun, and of which the server may not know it: if another page takes this one's place, it may be given them. */
  readonly unconfirmed: Set<string>
}

export function createAnswerMemory(): AnswerMemory {
  // In the order of arrival, which is what a Map keeps.
  const calls = new Map<string, Remembered>()
  /** Those with an answer of their own, in the order in which they were answered. */
  const answers = new Map<string, ToolAnswer>()
  const unconfirmed = new Set<string>()
  let textKept = 0

  function forgetAnswer(callId: string): void {
    textKept -= answers.get(callId)?.text.length ?? 0
    if (answers.delete(callId)) calls.set(callId, RAN)
  }

  return {
    unconfirmed,
    get: (callId) => calls.get(callId)?.answer,
    begin(callId) {
      for (const [oldId, { resolve }] of calls) {
        if (calls.size < CALLS_KEPT) break
        // One that still runs stays: forgetting it would run it again.
        if (resolve) continue
        forgetAnswer(oldId)
        unconfirmed.delete(oldId)
        calls.delete(oldId)
      }
      const { promise: answer, resolve } = createDeferred<ToolAnswer>()
      calls.set(callId, { answer, resolve })
    },
    finish(callId, answer) {
      const call = calls.get(callId)
      if (!call) return
      call.resolve?.(answer)
      calls.set(callId, { answer })
      answers.set(callId, answer)
      textKept += answer.text.length
      for (const oldId of answers.keys()) {
        if (answers.size <= ANSWERS_KEPT && textKept <= ANSWER_TEXT_KEPT) break
        forgetAnswer(oldId)
      }
    },
    ranBefore(callIds) {
      for (const callId of callIds) calls.set(callId, RAN_BEFORE)
    },
  }
}
