import { describe, expect, it, vi } from "vitest"
import { createFakeClock } from "../testing/fakeClock.ts"
import { createCallTimer } from "./callTimer.ts"

function setUp(ms: number | undefined) {
  const clock = createFakeClock()
  const onTimeout = vi.fn()
  return { clock, onTimeout, timer: createCallTimer(clock, ms, onTimeout) }
}

describe("a call's time limit", () => {
  it("calls back once when it is over", async () => {
    const { clock, onTimeout } = setUp(1_000)
    await clock.advance(999)
    expect(onTimeout).not.toHaveBeenCalled()
    await clock.advance(10_000)
    expect(onTimeout).toHaveBeenCalledTimes(1)
  })

  it("is none where the tool has none", () => {
    const { clock, timer } = setUp(undefined)
    timer.pause()
    timer.resume()
    timer.stop()
    expect(clock.pending).toBe(0)
  })

  it("stands still while a person is asked, also when two are asked at once", async () => {
    const { clock, onTimeout, timer } = setUp(1_000)
    await clock.advance(400)
    timer.pause()
    timer.pause()
    await clock.advance(60_000)
    timer.resume()
    await clock.advance(60_000)
    expect(onTimeout).not.toHaveBeenCalled()
    timer.resume()
    await clock.advance(599)
    expect(onTimeout).not.toHaveBeenCalled()
    await clock.advance(1)
    expect(onTimeout).toHaveBeenCalledTimes(1)
  })

  it("gives nothing back when the clock is set back", async () => {
    const { clock, onTimeout, timer } = setUp(1_000)
    await clock.advance(400)
    clock.jump(-3_600_000)
    timer.pause()
    timer.resume()
    await clock.advance(1_000)
    expect(onTimeout).toHaveBeenCalledTimes(1)
  })

  it("leaves no timer once it is stopped, whatever is resumed after", async () => {
    for (const isPaused of [false, true]) {
      const { clock, onTimeout, timer } = setUp(1_000)
      if (isPaused) timer.pause()
      timer.stop()
      timer.resume()
      expect(clock.pending).toBe(0)
      await clock.advance(10_000)
      expect(onTimeout).not.toHaveBeenCalled()
    }
  })
})
