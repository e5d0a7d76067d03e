import { turn } from "../lib/turn.ts"
import type { ToolClientRegistry } from "../toolClient/toolClientRegistry.ts"
import type { PlayedPerson } from "../toolClient/port.ts"
import type { CallRecord } from "../toolClient/calls.ts"
import type { DecidePerson } from "../tool/toolCall.ts"

/** The person's side of a test session: who answers what `useToolApproval` asks. */
export interface TestPerson {
  /** For the dispatch of a call: takes its questions. */
  of(callId: string, tool: string): PlayedPerson
  /** Decides the oldest question that waits, of one tool or of any; waits until there is one, and rejects where there is none. */
  decide(approved: boolean, tool: string | undefined): Promise<void>
  /** What is done until it is through is a person's. */
  act<Value>(act: () => Value | PromiseLike<Value>): Promise<Value>
}

interface Question {
  readonly callId: string
  readonly tool: string
  /** Which of its call's questions. */
  readonly index: number
  readonly decide: DecidePerson
}

/** Turns of the event loop in which a call that was just made comes to its question, and a decision to what it causes. */
const QUESTION_TURNS = 12

export function createTestPerson(registry: Pick<ToolClientRegistry, "forEach">): TestPerson {
  const questions: Question[] = []
  let acting = 0

  function records(): readonly CallRecord[] {
    const all: CallRecord[] = []
    registry.forEach(({ client }) => all.push(...client.state.calls))
    return all
  }

  /** By its record: a question ends in other ways, too. */
  const isWaiting = ({ callId, index }: Question): boolean =>
    records().some((record) => record.callId === callId && record.approvals[index]?.status === "waiting")

  function noQuestion(tool: string | undefined): Error {
    const waiting = questions.filter(isWaiting).map((question) => question.tool)
    const running = records().filter(({ phase }) => phase === "acked" || phase === "running").map((record) => `${record.tool} (${record.phase})`)
    return new Error(
      `${tool === undefined ? "No tool asks" : `"${tool}" does not ask`} a person right now. Questions that wait: ${waiting.join(", ") || "none"}; calls under way: ${running.join(", ") || "none"}. ` +
        "Make the call first, without awaiting it (const answer = session.callTool(...)), and bring session.clock on to where the tool asks.",
    )
  }

  return {
    of: (callId, tool) => {
      let asked = 0
      return {
        isActing: () => acting > 0,
        asked: (_message, decide) => void questions.push({ callId, tool, index: asked++, decide }),
      }
    },
    async decide(approved, tool) {
      const find = (): Question | undefined => questions.find((question) => (tool === undefined || question.tool === tool) && isWaiting(question))
      for (let count = 0; count < QUESTION_TURNS && !find(); count++) await turn()
      const question = find()
      if (!question) throw noQuestion(tool)
      question.decide(approved, "person")
      for (let count = 0; count < QUESTION_TURNS; count++) await turn()
    },
    async act(act) {
      acting++
      try {
        return await act()
      } finally {
        acting--
      }
    },
  }
}
