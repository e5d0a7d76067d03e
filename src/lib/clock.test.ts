import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { MAX_DELAY_MS, systemClock } from "./clock.ts"

describe("the system's clock", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("looks its globals up at each call, so that fake timers that are installed later work", () => {
    const callback = vi.fn()
    const before = systemClock.now()
    systemClock.setTimeout(callback, 1_000)
    vi.advanceTimersByTime(999)
    expect(callback).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(callback).toHaveBeenCalledTimes(1)
    expect(systemClock.now()).toBe(before + 1_000)
  })

  it("takes back a timer", () => {
    const callback = vi.fn()
    systemClock.clearTimeout(systemClock.setTimeout(callback, 1))
    vi.advanceTimersByTime(10)
    expect(callback).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  it("takes back nothing where there is no timer", () => {
    expect(() => systemClock.clearTimeout(undefined)).not.toThrow()
  })

  it.each([2 ** 31, 1e12, Infinity])("does not fire at once for a delay that no timer takes (%d ms)", (ms) => {
    const callback = vi.fn()
    systemClock.setTimeout(callback, ms)
    vi.advanceTimersByTime(MAX_DELAY_MS - 1)
    expect(callback).not.toHaveBeenCalled()
  })

  it("takes a negative delay for none", () => {
    const callback = vi.fn()
    systemClock.setTimeout(callback, -5)
    vi.advanceTimersByTime(0)
    expect(callback).toHaveBeenCalledTimes(1)
  })

  it("gives numbers in [0, 1) for jitter", () => {
    for (let count = 0; count < 100; count++) {
      const number = systemClock.random()
      expect(number >= 0 && number < 1).toBe(true)
    }
  })
})

describe("on Node", () => {
  it("a timer does not keep the process, and a hold does until it is released, more than once if need be", () => {
    const handle = systemClock.setTimeout(() => {}, 60_000) as NodeJS.Timeout
    expect(handle.hasRef()).toBe(false)
    systemClock.clearTimeout(handle)

    const intervals = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length
    const before = intervals()
    const release = systemClock.hold()
    expect(intervals()).toBe(before + 1)
    release()
    release()
    expect(intervals()).toBe(before)
  })
})
