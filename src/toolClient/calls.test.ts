import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { addCall, type CallRecord, changeCall, isSettled, SETTLED_CALLS_KEPT } from "./calls.ts"

const record = (callId: string): CallRecord => ({
  callId,
  tool: "add",
  arguments: {},
  receivedAt: 0,
  approvals: [],
  phase: "acked",
  answer: undefined,
  error: undefined,
})

const answered = (call: CallRecord): CallRecord => ({ ...call, phase: "answered", answer: { text: "done", is_error: false }, error: undefined })
const failed = (call: CallRecord): CallRecord => ({ ...call, phase: "failed", answer: undefined, error: new Error("never taken"), isCancelled: false })

describe("the calls of a snapshot", () => {
  it("keep those in flight, and the last 50 settled, in the order they came", () => {
    expect(SETTLED_CALLS_KEPT).toBe(50)
    let calls: readonly CallRecord[] = []
    for (let index = 0; index < 70; index++) calls = addCall(calls, record(`c${index}`))
    // The first one stays in flight, however many settle after it.
    for (let index = 1; index < 70; index++) calls = changeCall(calls, `c${index}`, index % 2 ? answered : failed)
    expect(calls.map((call) => call.callId)).toEqual(["c0", ...Array.from({ length: 50 }, (_, index) => `c${index + 20}`)])
  })

  it("never drop one in flight, and never hold more than 50 settled, whatever settles when", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("add", "settle"), fc.nat({ max: 300 })), { maxLength: 300 }), (steps) => {
        let calls: readonly CallRecord[] = []
        const open = new Set<string>()
        let count = 0
        for (const [step, pick] of steps) {
          if (step === "add" || open.size === 0) {
            open.add(`c${count}`)
            calls = addCall(calls, record(`c${count++}`))
          } else {
            const callId = [...open][pick % open.size]!
            open.delete(callId)
            calls = changeCall(calls, callId, answered)
          }
          expect(calls.filter((call) => !isSettled(call)).map((call) => call.callId)).toEqual([...open])
          expect(calls.filter(isSettled).length).toBeLessThanOrEqual(SETTLED_CALLS_KEPT)
        }
      }),
    )
  })

  it("stay as they are when a settled one is changed, or one that is not there", () => {
    const calls = changeCall(addCall([], record("a")), "a", answered)
    expect(changeCall(calls, "a", failed)).toBe(calls)
    expect(changeCall(calls, "b", failed)).toBe(calls)
  })

  it("say of a failed one that it is answered once its answer is taken after all, and never the other way round", () => {
    const first = changeCall(addCall([], record("a")), "a", failed)
    const then = changeCall(first, "a", answered)
    expect(then.map(({ phase }) => phase)).toEqual(["answered"])
    expect(changeCall(first, "a", (call): CallRecord => ({ ...call, progress: { done: 1 } }))).toBe(first)
    expect(changeCall(then, "a", failed)).toBe(then)
  })

  it("are a new list at each change, with the others' records as they were", () => {
    const before = addCall(addCall([], record("a")), record("b"))
    const after = changeCall(before, "b", answered)
    expect(after).not.toBe(before)
    expect(after[0]).toBe(before[0])
    expect(before[1]?.phase).toBe("acked")
    expect(after[1]?.phase).toBe("answered")
  })
})
