import { afterEach, describe, expect, it, vi } from "vitest"
import { callSafely, reportToConsole } from "./callSafely.ts"

describe("calling a user's code safely", () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {})
  afterEach(() => logged.mockClear())

  it("hands what it throws to the error handler", () => {
    const onError = vi.fn()
    callSafely(
      () => {
        throw "a string"
      },
      1,
      onError,
    )
    expect(onError).toHaveBeenCalledExactlyOnceWith("a string")
  })

  it("hands a rejection to the error handler, too", async () => {
    const onError = vi.fn()
    callSafely(() => Promise.reject(new Error("late")), 1, onError)
    await new Promise((resolve) => setImmediate(resolve))
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error("late"))
  })

  it.each([
    ["at once", (error: unknown) => { throw error }],
    ["later", async (error: unknown) => { throw error }],
  ])("tells the console when the error handler itself throws %s", async (_when, onError) => {
    const error = new Error("first")
    callSafely(
      () => {
        throw error
      },
      1,
      onError as (error: unknown) => void,
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(logged).toHaveBeenCalledExactlyOnceWith(error)
  })

  it("tells the console once when the console is the handler", async () => {
    callSafely(() => Promise.reject(new Error("late")), 1, reportToConsole)
    callSafely(
      () => {
        throw new Error("now")
      },
      1,
      reportToConsole,
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(logged.mock.calls).toEqual([[new Error("now")], [new Error("late")]])
  })
})
