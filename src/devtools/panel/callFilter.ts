import type { CallRecord } from "../../toolClient/calls.ts"
import type { CallTrace } from "../recorder/history.ts"
import { type CallStage, stageOf } from "./callSpans.ts"

export type OutcomeFilter = "all" | "in_flight" | "answered" | "error" | "failed" | "cancelled"

export interface CallFilter {
  readonly text: string
  readonly outcome: OutcomeFilter
}

const OUTCOME_OF: Readonly<Record<CallStage, Exclude<OutcomeFilter, "all">>> = {
  dispatched: "in_flight",
  acked: "in_flight",
  running: "in_flight",
  asking: "in_flight",
  answering: "in_flight",
  answered: "answered",
  refused: "answered",
  error: "error",
  timed_out: "error",
  failed: "failed",
  cancelled: "cancelled",
}

const outcomeOf = (trace: CallTrace): Exclude<OutcomeFilter, "all"> => OUTCOME_OF[stageOf(trace)]

/** A record is immutable, so what is searched in it is written once. */
const texts = new WeakMap<CallRecord, string>()

function searchedText({ record, client }: CallTrace): string {
  const known = texts.get(record)
  if (known !== undefined) return known
  const text = [record.tool, client, JSON.stringify(record.arguments), record.answer?.text, record.progress?.message, record.error]
    .map((part) => (part instanceof Error ? part.message : typeof part === "string" ? part : ""))
    .join("\n")
    .toLowerCase()
  texts.set(record, text)
  return text
}

/** An id is random letters: a word of it that is shorter is found by chance. */
const ID_WORD_LENGTH = 6

/** Every word must be found: in the tool's name, the client's, the call's id, the arguments or the answer. */
export function filterCalls(calls: readonly CallTrace[], { text, outcome }: CallFilter): readonly CallTrace[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "")
  if (words.length === 0 && outcome === "all") return calls
  const isFound = (trace: CallTrace, word: string): boolean =>
    searchedText(trace).includes(word) || (word.length >= ID_WORD_LENGTH && trace.callId.toLowerCase().includes(word))
  return calls.filter((trace) => (outcome === "all" || outcomeOf(trace) === outcome) && words.every((word) => isFound(trace, word)))
}

export function countOutcomes(calls: readonly CallTrace[]): Readonly<Record<OutcomeFilter, number>> {
  const counts = { all: calls.length, in_flight: 0, answered: 0, error: 0, failed: 0, cancelled: 0 }
  for (const trace of calls) counts[outcomeOf(trace)]++
  return counts
}
