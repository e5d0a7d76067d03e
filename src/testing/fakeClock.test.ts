import { describe, expect, it } from "vitest"
import { createFakeClock } from "./fakeClock.ts"

describe("a fake clock", () => {
  it("stands still", () => {
    const clock = createFakeClock({ now: 1_000 })
    expect([clock.now(), clock.now()]).toEqual([1_000, 1_000])
  })

  it("fires what falls due in order of time, then of setting, at the time it was set for", async () => {
    const clock = createFakeClock({ now: 0 })
    const fired: string[] = []
    const set = (name: string, ms: number) => clock.setTimeout(() => fired.push(`${name} at ${clock.now()}`), ms)
    set("late", 30)
    set("first", 10)
    set("second", 10)
    set("never", 31)
    set("past", -5)
    await clock.advance(30)
    expect(fired).toEqual(["past at 0", "first at 10", "second at 10", "late at 30"])
    expect(clock.now()).toBe(30)
    expect(clock.pending).toBe(1)
  })

  it("fires timers that timers set, also after a promise", async () => {
    const clock = createFakeClock({ now: 0 })
    const fired: number[] = []
    const again = (): void => {
      fired.push(clock.now())
      void Promise.resolve().then(() => clock.setTimeout(again, 10))
    }
    clock.setTimeout(again, 10)
    await clock.advance(35)
    expect(fired).toEqual([10, 20, 30])
  })

  it("forgets a timer that was cleared", async () => {
    const clock = createFakeClock()
    const handle = clock.setTimeout(() => expect.unreachable(), 10)
    clock.clearTimeout(handle)
    clock.clearTimeout(handle)
    clock.clearTimeout(undefined)
    await clock.advance(10)
    expect(clock.pending).toBe(0)
  })

  it("jumps without firing, both ways, and fires what a jump has left behind at the next step", async () => {
    const clock = createFakeClock({ now: 100 })
    const fired: number[] = []
    clock.setTimeout(() => fired.push(clock.now()), 10)
    clock.jump(50)
    expect(fired).toEqual([])
    await clock.advance(0)
    expect(fired).toEqual([150])
    clock.jump(-200)
    expect(clock.now()).toBe(-50)
  })

  it("counts what holds the process, each once", () => {
    const clock = createFakeClock()
    const [one, other] = [clock.hold(), clock.hold()]
    expect(clock.holds).toBe(2)
    one()
    one()
    expect(clock.holds).toBe(1)
    other()
    expect(clock.holds).toBe(0)
  })

  it("throws the dice that it is given", () => {
    expect(createFakeClock().random()).toBe(0.5)
    expect(createFakeClock({ random: () => 0.25 }).random()).toBe(0.25)
  })
})
