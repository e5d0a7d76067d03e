import { describe, expect, it } from "vitest"
import { ANSWER_TEXT_KEPT, ANSWERS_KEPT, CALLS_KEPT, createAnswerMemory } from "./answerMemory.ts"

const answer = { text: "done", is_error: false }

function setUp() {
  const memory = createAnswerMemory()
  const answered = (callId: string): void => {
    memory.begin(callId)
    memory.finish(callId, answer)
  }
  return { memory, answered }
}

describe("what is remembered of calls", () => {
  it("tells one that has not come from one that runs, whose answer comes, and one that is answered", async () => {
    const { memory } = setUp()
    expect(memory.get("a")).toBeUndefined()
    memory.begin("a")
    const running = memory.get("a")
    expect(running).toBeInstanceOf(Promise)
    memory.finish("a", answer)
    expect(await running).toBe(answer)
    expect(memory.get("a")).toBe(answer)
  })

  it("says of those that an earlier load of the page has begun that they may have run", () => {
    const { memory } = setUp()
    memory.ranBefore(["a", "b"])
    expect(memory.get("b")).toMatchObject({ is_error: true, text: expect.stringContaining("may have run") as string })
    expect(memory.get("c")).toBeUndefined()
  })

  it("is the newest thousand answers at most, and of those before that they ran", () => {
    const { memory, answered } = setUp()
    for (let count = 0; count < ANSWERS_KEPT + 10; count++) answered(`c${count}`)
    expect(memory.get("c9")).toMatchObject({ is_error: true, text: expect.stringContaining("ran") as string })
    expect(memory.get("c10")).toBe(answer)
    expect(memory.get(`c${ANSWERS_KEPT + 9}`)).toBe(answer)
  })

  it("holds no more text than it may, and no more calls", () => {
    const { memory, answered } = setUp()
    const long = { text: "x".repeat(ANSWER_TEXT_KEPT / 2), is_error: false }
    for (const callId of ["a", "b", "c"]) {
      memory.begin(callId)
      memory.finish(callId, long)
    }
    expect(memory.get("a")).toMatchObject({ is_error: true })
    expect(memory.get("b")).toBe(long)
    for (let count = 0; count < CALLS_KEPT; count++) answered(`c${count}`)
    expect(memory.get("a")).toBeUndefined()
    expect(memory.get("c0")).toBeDefined()
  })

  it("is never forgotten of a call that runs, however many come after it", () => {
    const { memory, answered } = setUp()
    memory.begin("slow")
    for (let count = 0; count < CALLS_KEPT + 10; count++) answered(`c${count}`)
    expect(memory.get("slow")).toBeDefined()
    memory.finish("slow", answer)
    expect(memory.get("slow")).toBe(answer)
  })

  it("forgets with a call that nobody has confirmed it", () => {
    const { memory, answered } = setUp()
    answered("unconfirmed")
    memory.unconfirmed.add("unconfirmed")
    for (let count = 1; count < CALLS_KEPT; count++) answered(`c${count}`)
    expect(memory.unconfirmed.size).toBe(1)
    answered("one more")
    expect(memory.unconfirmed.size).toBe(0)
    expect(memory.get("unconfirmed")).toBeUndefined()
    expect(memory.get("c1")).toBeDefined()
  })

  it("holds calls with any id", () => {
    const { memory, answered } = setUp()
    for (const callId of ["__proto__", "constructor", ""]) {
      expect(memory.get(callId)).toBeUndefined()
      answered(callId)
      expect(memory.get(callId)).toBe(answer)
    }
  })
})
