import { createDeferred, type Deferred } from "../lib/deferred.ts"
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
  /** Never forgotten: that would run them again. */
  const running = new Map<string, Deferred<ToolAnswer>>()
  // In the order in which they ended, which is what a Map keeps. What is said of each whose own answer is not kept.
  const ended = new Map<string, ToolAnswer>()
  const answers = new Map<string, ToolAnswer>()
  const unconfirmed = new Set<string>()
  let textKept = 0

  return {
    unconfirmed,
    get: (callId) => running.get(callId)?.promise ?? answers.get(callId) ?? ended.get(callId),
    begin: (callId) => void running.set(callId, createDeferred()),
    finish(callId, answer) {
      running.get(callId)?.resolve(answer)
      running.delete(callId)
      ended.set(callId, FORGOTTEN)
      answers.set(callId, answer)
      textKept += answer.text.length
      for (const [oldId, { text }] of answers) {
        if (answers.size <= ANSWERS_KEPT && textKept <= ANSWER_TEXT_KEPT) break
        answers.delete(oldId)
        textKept -= text.length
      }
      for (const oldId of ended.keys()) {
        if (ended.size <= CALLS_KEPT) break
        ended.delete(oldId)
        unconfirmed.delete(oldId)
      }
    },
    ranBefore(callIds) {
      for (const callId of callIds) {
        if (!running.has(callId) && !ended.has(callId)) ended.set(callId, LOADED_AGAIN)
        unconfirmed.add(callId)
      }
    },
  }
}
