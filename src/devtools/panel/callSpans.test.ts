import { afterEach, describe, expect, it } from "vitest"
import { createTestSession } from "../../testing/index.ts"
import type { ToolCall } from "../../tool/toolCall.ts"
import type { ToolAnswer } from "../../tool/toolSpec.ts"
import type { CallTrace } from "../recorder/history.ts"
import { createRecorder } from "../recorder/recorder.ts"
import { countOutcomes, filterCalls } from "./callFilter.ts"
import { stageOf } from "./callSpans.ts"

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A session with a tool that does what `execute` says, and what the panel makes of its calls. */
async function setUp(execute: (args: unknown, call: ToolCall) => string | ToolAnswer | Promise<string>, timeout?: number) {
  const session = createTestSession({ onError: () => {} })
  const recorder = createRecorder(session, () => {})
  stops.push(recorder.start())
  session.createToolClient("web").addTool("work", { description: "Works.", parameters: { type: "object" }, timeout, execute })
  await session.settle()
  const calls = (): readonly CallTrace[] => {
    recorder.flush()
    return recorder.state.calls
  }
  return { session, calls, stages: () => calls().map(stageOf) }
}

const never = (): Promise<string> => new Promise(() => {})

/** Milliseconds, of the session's clock. */
const LONG_MS = 60_000

describe("the stage of a call", () => {
  it("that nobody wants any more is cancelled, not failed", async () => {
    const { session, calls, stages } = await setUp(never)
    const answer = session.callTool("work", {}, { callId: "c" }).catch(() => {})
    await session.settle()
    session.cancelCall("c", "the agent was stopped")
    await answer
    expect(stages()).toEqual(["cancelled"])
    expect(countOutcomes(calls())).toMatchObject({ cancelled: 1, failed: 0, in_flight: 0 })
    expect(filterCalls(calls(), { text: "", outcome: "cancelled" })).toHaveLength(1)
    expect(filterCalls(calls(), { text: "", outcome: "failed" })).toEqual([])
  })

  it("whose answer was not taken is failed", async () => {
    const { session, stages } = await setUp(() => "done")
    session.failNext("answer", 400)
    void session.callTool("work").catch(() => {})
    await session.settle()
    expect(stages()).toEqual(["failed"])
  })

  it("that took longer than the tool's timeout is timed out, and counts among the errors", async () => {
    const { session, calls, stages } = await setUp(never, 1_000)
    const answer = session.callTool("work")
    await session.clock.advance(LONG_MS)
    expect(await answer).toMatchObject({ is_error: true })
    expect(stages()).toEqual(["timed_out"])
    expect(countOutcomes(calls())).toMatchObject({ error: 1 })
  })

  it("whose deadline came is timed out", async () => {
    const { session, stages } = await setUp(never)
    const answer = session.callTool("work", {}, { deadlineMs: LONG_MS })
    await session.clock.advance(LONG_MS)
    await answer
    expect(stages()).toEqual(["timed_out"])
  })

  it("that a person refused is refused, also where the tool calls that an error; the last question counts", async () => {
    let questions = ["no"]
    let isError = false
    const { session, stages } = await setUp((_, call) => {
      for (const answer of questions) call.askPerson("May I?").settle(answer === "yes", "person")
      return { text: "It ended.", is_error: isError }
    })
    await session.callTool("work")
    isError = true
    await session.callTool("work")
    isError = false
    questions = ["no", "yes"]
    await session.callTool("work")
    questions = []
    isError = true
    await session.callTool("work")
    expect(stages()).toEqual(["refused", "refused", "answered", "error"])
  })
})
