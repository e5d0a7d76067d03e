import { describe, expect, it, vi } from "vitest"
import { createFakeClock } from "../testing/fakeClock.ts"
import { onAbort, withTimeLimit } from "./signals.ts"

describe("listening to a signal", () => {
  it("calls back once when it aborts", () => {
    const controller = new AbortController()
    const listener = vi.fn()
    onAbort(controller.signal, listener)
    expect(listener).not.toHaveBeenCalled()
    controller.abort()
    controller.abort()
    expect(listener).toHaveBeenCalledTimes(1)
  })

  it("calls back at once when it has aborted", () => {
    const listener = vi.fn()
    const stop = onAbort(AbortSignal.abort(), listener)
    expect(listener).toHaveBeenCalledTimes(1)
    expect(stop).not.toThrow()
  })

  it("calls back never when it was taken off before", () => {
    const controller = new AbortController()
    const listener = vi.fn()
    const stop = onAbort(controller.signal, listener)
    stop()
    stop()
    controller.abort()
    expect(listener).not.toHaveBeenCalled()
  })

  it("needs no signal", () => {
    expect(onAbort(undefined, () => expect.unreachable())).not.toThrow()
  })
})

describe("a time limit", () => {
  it("gives what the task gives, and leaves no timer behind", async () => {
    const clock = createFakeClock()
    expect(await withTimeLimit(clock, 1_000, async () => "done")).toBe("done")
    expect(clock.pending).toBe(0)
  })

  it("rejects as the task does, and leaves no timer behind", async () => {
    const clock = createFakeClock()
    await expect(withTimeLimit(clock, 1_000, () => Promise.reject(new Error("mine")))).rejects.toThrow("mine")
    expect(clock.pending).toBe(0)
  })

  it.each([
    ["heeds its signal", (signal: AbortSignal) => new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))],
    ["does not", () => new Promise<never>(() => {})],
  ])("aborts and rejects when the time is over, and says how long that was, where the task %s", async (_task, task) => {
    const clock = createFakeClock()
    let signal: AbortSignal | undefined
    const result = withTimeLimit(clock, 1_000, (given) => {
      signal = given
      return task(given)
    })
    result.catch(() => {})
    await clock.advance(999)
    expect(signal?.aborted).toBe(false)
    await clock.advance(1)
    expect(signal?.aborted).toBe(true)
    await expect(result).rejects.toMatchObject({ name: "TimeoutError", message: expect.stringContaining("1000 ms") })
    expect(clock.pending).toBe(0)
  })

  it("rejects when its controller aborts, also one that has aborted", async () => {
    const clock = createFakeClock()
    const controller = new AbortController()
    const result = withTimeLimit(clock, 1_000, () => new Promise<never>(() => {}), controller)
    controller.abort(new Error("closed"))
    await expect(result).rejects.toThrow("closed")
    await expect(withTimeLimit(clock, 1_000, () => new Promise<never>(() => {}), controller)).rejects.toThrow("closed")
    expect(clock.pending).toBe(0)
  })
})
