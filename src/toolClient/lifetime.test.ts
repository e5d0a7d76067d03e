import { describe, expect, it } from "vitest"
import { createFakeClock } from "../testing/fakeClock.ts"
import type { Lifetime } from "../wire/messages.ts"
import { checkLifetime, createPinger, DEFAULT_LIFETIME, sameLifetime } from "./lifetime.ts"

const ttl = (seconds: number): Lifetime => ({ type: "ttl", data: { seconds } })

describe("a lifetime", () => {
  it("is 60 seconds by default", () => {
    expect(DEFAULT_LIFETIME).toEqual({ type: "ttl", data: { seconds: 60 } })
  })

  it.each([2, 30, 60, 86_400])("of %d seconds is taken", (seconds) => {
    expect(checkLifetime(ttl(seconds))).toEqual(ttl(seconds))
  })

  it.each([0, -1, NaN, 0.001, 1.9, 86_401, 1e8, Infinity, "60", null, undefined])("of %s seconds is refused, with what may be had instead", (seconds) => {
    const lifetime = { type: "ttl", data: { seconds } } as unknown as Lifetime
    expect(() => checkLifetime(lifetime)).toThrow(RangeError)
    expect(() => checkLifetime(lifetime)).toThrow(/never/)
  })

  it.each(["never", 60, {}, { type: "ttl" }, { type: "ttl", data: null }, { type: "TTL", data: { seconds: 60 } }])("is no %j", (lifetime) => {
    expect(() => checkLifetime(lifetime as never)).toThrow(RangeError)
    expect(() => checkLifetime(lifetime as never)).toThrow(JSON.stringify(lifetime))
  })

  it("that never ends is taken as it is", () => {
    expect(checkLifetime({ type: "never" })).toEqual({ type: "never" })
  })

  it("is the same by value", () => {
    expect(sameLifetime(ttl(60), DEFAULT_LIFETIME)).toBe(true)
    expect(sameLifetime(ttl(60), ttl(61))).toBe(false)
    expect(sameLifetime(ttl(60), { type: "never" })).toBe(false)
    expect(sameLifetime({ type: "never" }, { type: "never" })).toBe(true)
  })
})

describe("a tool client's pings", () => {
  /** `answer` gives what a ping comes back with: `undefined` taken, a number of milliseconds to wait, or a promise of one. */
  interface Setup {
    readonly lifetime?: Lifetime
    readonly offset?: () => number
    readonly answer?: () => number | undefined | Promise<undefined>
  }
  function setUp({ lifetime = DEFAULT_LIFETIME, offset = () => 0, answer = () => undefined }: Setup = {}) {
    const clock = createFakeClock()
    const start = clock.now()
    /** When pings were sent, in seconds since the start. */
    const sent: number[] = []
    const failures: number[] = []
    const pinger = createPinger({ ...clock, now: () => clock.now() + offset() }, lifetime, async (failed) => {
      sent.push((clock.now() - start) / 1_000)
      failures.push(failed)
      return answer()
    })
    return { clock, pinger, sent, failures }
  }

  it.each([
    [60, [30, 60, 90]],
    [10, [5, 10, 15]],
    [86_400, [43_200, 86_400, 129_600]],
  ])("come at half the ttl of %d seconds", async (seconds, expected) => {
    const { clock, pinger, sent } = setUp({ lifetime: ttl(seconds) })
    pinger.start()
    await clock.advance(seconds * 1_500)
    expect(sent).toEqual(expected)
  })

  it("never come for a lifetime that never ends, whatever happens", async () => {
    const { clock, pinger, sent } = setUp({ lifetime: { type: "never" } })
    pinger.start()
    pinger.pingNow()
    pinger.pingIfDue()
    await clock.advance(86_400_000)
    expect(sent).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it("begin with the registration and end with it, and leave no timer", async () => {
    const { clock, pinger, sent } = setUp()
    await clock.advance(60_000)
    pinger.pingIfDue()
    pinger.pingNow()
    expect(sent).toEqual([])
    pinger.start()
    await clock.advance(30_000)
    pinger.stop()
    pinger.stop()
    expect(clock.pending).toBe(0)
    await clock.advance(120_000)
    pinger.pingIfDue()
    pinger.pingNow()
    expect(sent).toEqual([90])
  })

  it("come by an event of the stream when the timer of a hidden page comes late", async () => {
    const { clock, pinger, sent } = setUp()
    pinger.start()
    // A hidden page's timers: time passes, and they do not fire.
    for (let second = 5; second <= 60; second += 5) {
      clock.jump(5_000)
      pinger.pingIfDue()
      await Promise.resolve()
      await Promise.resolve()
      await Promise.resolve()
    }
    // From 25 s on a ping is due early: the next event may be too late.
    expect(sent).toEqual([25, 50])
  })

  it("do not come by an event when none is due", async () => {
    const { clock, pinger, sent } = setUp()
    pinger.start()
    for (let count = 0; count < 24; count++) {
      await clock.advance(1_000)
      pinger.pingIfDue()
    }
    expect(sent).toEqual([])
  })

  it("come one at a time, however many events there are", async () => {
    let finish = (): void => {}
    const { clock, pinger, sent } = setUp({ answer: () => new Promise<undefined>((resolve) => (finish = () => resolve(undefined))) })
    pinger.start()
    await clock.advance(30_000)
    for (let count = 0; count < 100; count++) {
      pinger.pingIfDue()
      pinger.pingNow()
    }
    await clock.advance(20_000)
    pinger.pingIfDue()
    expect(sent).toEqual([30])
    finish()
    await clock.advance(0)
    expect(clock.pending).toBe(1)
    await clock.advance(30_000)
    expect(sent).toEqual([30, 80])
  })

  it("are put off by a request that the server has accepted", async () => {
    const { clock, pinger, sent } = setUp()
    pinger.start()
    await clock.advance(29_000)
    pinger.touch()
    await clock.advance(29_000)
    expect(sent).toEqual([])
    await clock.advance(1_000)
    expect(sent).toEqual([59])
    expect(clock.pending).toBe(1)
  })

  it("are not begun by such a request where there is no registration", async () => {
    const { clock, pinger } = setUp()
    pinger.touch()
    expect(clock.pending).toBe(0)
    await clock.advance(60_000)
  })

  it("are tried again after the wait that a failure asks for, and count the failures in a row", async () => {
    const waits = [500, 1_000, 2_000]
    const { clock, pinger, sent, failures } = setUp({ answer: () => waits.shift() })
    pinger.start()
    await clock.advance(70_000)
    expect(sent).toEqual([30, 30.5, 31.5, 33.5, 63.5])
    expect(failures).toEqual([0, 1, 2, 3, 0])
  })

  it("wait out what a failure asks for, whatever events come meanwhile", async () => {
    const { clock, pinger, sent } = setUp({ answer: () => 20_000 })
    pinger.start()
    await clock.advance(30_000)
    for (let count = 0; count < 199; count++) {
      await clock.advance(100)
      pinger.pingIfDue()
    }
    expect(sent).toEqual([30])
    await clock.advance(100)
    expect(sent).toEqual([30, 50])
  })

  it("come by an event once the wait after a failure is over, when the timer comes late", async () => {
    const { clock, pinger, sent } = setUp({ answer: () => 5_000 })
    pinger.start()
    await clock.advance(30_000)
    clock.jump(5_000)
    pinger.pingIfDue()
    expect(sent).toEqual([30, 35])
  })

  it("come at once when the stream is open again, however recently a sign was given, and never two at a time", async () => {
    const { clock, pinger, sent } = setUp()
    pinger.start()
    pinger.pingNow()
    pinger.pingNow()
    expect(sent).toEqual([0])
    await clock.advance(500)
    pinger.pingNow()
    expect(sent).toEqual([0, 0.5])
  })

  it("come at the first event after eight hours of sleep, and once", async () => {
    const { clock, pinger, sent } = setUp()
    pinger.start()
    clock.jump(8 * 3_600_000)
    pinger.pingIfDue()
    pinger.pingNow()
    await clock.advance(0)
    pinger.pingIfDue()
    await clock.advance(0)
    expect(sent).toEqual([8 * 3_600])
  })

  it("come at the next event after the clock was set back, since what it says of the last one is worth nothing", async () => {
    let offset = 0
    const { clock, pinger, sent } = setUp({ offset: () => offset })
    pinger.start()
    await clock.advance(10_000)
    offset = -3_600_000
    pinger.pingIfDue()
    await clock.advance(0)
    pinger.pingIfDue()
    await clock.advance(0)
    expect(sent).toEqual([10])
  })

  it.each([-3_600_000, 3_600_000])("neither stop nor come in a flood when the clock jumps by %d ms", async (jump) => {
    let offset = 0
    const { clock, pinger, sent } = setUp({ offset: () => offset })
    pinger.start()
    await clock.advance(10_000)
    offset = jump
    for (let second = 0; second < 120; second++) {
      pinger.pingIfDue()
      await clock.advance(1_000)
    }
    expect(sent.length).toBeGreaterThanOrEqual(4)
    expect(sent.length).toBeLessThanOrEqual(6)
    const gaps = sent.map((at, index) => at - (sent[index - 1] ?? 0))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(30)
  })

  it("never come more than once a second", async () => {
    const { clock, pinger, sent } = setUp({ lifetime: ttl(1) })
    pinger.start()
    await clock.advance(10_000)
    expect(sent.length).toBeLessThanOrEqual(20)
  })

  it("go on after the registration was renewed while one was on its way", async () => {
    let finish = (): void => {}
    let isHeld = true
    const { clock, pinger, sent } = setUp({
      answer: () => (isHeld ? new Promise<undefined>((resolve) => (finish = () => resolve(undefined))) : undefined),
    })
    pinger.start()
    await clock.advance(30_000)
    pinger.stop()
    pinger.start()
    isHeld = false
    await clock.advance(5_000)
    finish()
    await clock.advance(60_000)
    expect(clock.pending).toBe(1)
    expect(sent.length).toBeGreaterThanOrEqual(3)
  })
})
