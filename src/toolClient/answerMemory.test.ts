import { describe, expect, it } from "vitest"
import { createFakeClock } from "../testing/fakeClock.ts"
import { RESULT_DEADLINE_MS } from "../wire/limits.ts"
import { ANSWERS_KEPT, createAnswerMemory, MEMORY_MS } from "./answerMemory.ts"

const answer = { text: "done", is_error: false }

function setUp() {
  const clock = createFakeClock()
  const memory = createAnswerMemory(clock)
  const answered = (callId: string): void => {
    memory.begin(callId)
    memory.finish(callId, answer)
  }
  return { clock, memory, answered }
}

describe("what is remembered of calls", () => {
  it("tells one that has not come from one that runs and one that is answered", () => {
    const { memory } = setUp()
    expect(memory.get("a")).toBeUndefined()
    memory.begin("a")
    expect(memory.get("a")).toMatchObject({})
    expect(memory.get("a")?.answer).toBeUndefined()
    memory.finish("a", answer)
    expect(memory.get("a")?.answer).toBe(answer)
  })

  it("stays as long as a call may be dispatched again", async () => {
    const { clock, memory, answered } = setUp()
    expect(MEMORY_MS).toBeGreaterThan(RESULT_DEADLINE_MS)
    answered("a")
    clock.jump(RESULT_DEADLINE_MS)
    answered("b")
    expect(memory.get("a")?.answer).toBe(answer)
    clock.jump(MEMORY_MS + 1)
    answered("c")
    expect(memory.get("a")).toBeUndefined()
    expect(memory.get("b")).toBeUndefined()
    expect(memory.get("c")).toBeDefined()
  })

  it("is the newest thousand answers at most", () => {
    const { memory, answered } = setUp()
    for (let count = 0; count < ANSWERS_KEPT + 10; count++) answered(`c${count}`)
    expect(memory.get("c9")).toBeUndefined()
    expect(memory.get("c10")).toBeDefined()
    expect(memory.get(`c${ANSWERS_KEPT + 9}`)).toBeDefined()
  })

  it("is never forgotten of a call that runs, however long and however many come after it", () => {
    const { clock, memory, answered } = setUp()
    memory.begin("slow")
    clock.jump(10 * MEMORY_MS)
    for (let count = 0; count < ANSWERS_KEPT + 10; count++) answered(`c${count}`)
    expect(memory.get("slow")).toBeDefined()
  })

  it("is forgotten in time also of a call that was cancelled and never answered", () => {
    const { clock, memory, answered } = setUp()
    memory.begin("cancelled")
    memory.finish("cancelled", undefined)
    answered("a")
    expect(memory.get("cancelled")).toBeDefined()
    clock.jump(MEMORY_MS + 1)
    answered("b")
    expect(memory.get("cancelled")).toBeUndefined()
    expect(memory.get("a")).toBeUndefined()
  })

  it("holds calls with any id", () => {
    const { memory, answered } = setUp()
    for (const callId of ["__proto__", "constructor", ""]) {
      expect(memory.get(callId)).toBeUndefined()
      answered(callId)
      expect(memory.get(callId)?.answer).toBe(answer)
    }
  })
})
