import { describe, expect, it } from "vitest"
import { createTimeScale } from "./timeScale.ts"

const NOON = new Date(2026, 0, 1, 12, 0, 0).getTime()

describe("createTimeScale", () => {
  it("spreads what is to be seen over the whole width", () => {
    const scale = createTimeScale([[NOON, NOON + 100], [NOON + 50, NOON + 200]], 600)
    expect([0, 50, 100, 200].map((ms) => scale.at(NOON + ms))).toEqual([0, 0.25, 0.5, 1])
    expect(scale.breaks).toEqual([])
  })

  it("draws a long time without calls short, and says how long it was", () => {
    const scale = createTimeScale([[NOON, NOON + 100], [NOON + 60_100, NOON + 60_200]], 600)
    expect(scale.breaks).toEqual([{ at: expect.closeTo(0.472, 2), width: expect.closeTo(0.057, 2), ms: 60_000 }])
    expect(scale.at(NOON + 60_200)).toBe(1)
    expect(scale.at(NOON + 60_100) - scale.at(NOON + 100)).toBeCloseTo(0.057, 2)
  })

  it("keeps a short gap as it is", () => {
    expect(createTimeScale([[NOON, NOON + 100], [NOON + 120, NOON + 200]], 600).breaks).toEqual([])
  })

  it("labels the beginning by the clock, the rest by what has passed, and no two over each other", () => {
    const { ticks } = createTimeScale([[NOON, NOON + 1_000]], 600)
    expect(ticks[0]).toEqual({ at: 0, label: "12:00:00", isStart: true })
    expect(ticks[1]?.label).toBe("+200 ms")
    for (const width of [80, 150, 300, 900]) {
      const labelled = createTimeScale([[NOON, NOON + 937], [NOON + 9_000, NOON + 9_100]], width).ticks.filter(({ label }) => label !== "")
      labelled.slice(1).forEach(({ at }, index) => expect((at - (labelled[index]?.at ?? 0)) * width).toBeGreaterThanOrEqual(61))
    }
  })

  it("says the time of day after each long time without calls, rather than what had passed before it", () => {
    const { ticks } = createTimeScale([[NOON, NOON + 640], [NOON + 60_000, NOON + 60_400]], 400)
    expect(ticks.filter(({ isStart }) => isStart).map(({ label }) => label)).toEqual(["12:00:00", "12:01:00"])
  })

  it("has a place for a call that took no time, and for none at all", () => {
    const moment = createTimeScale([[NOON, NOON]], 600)
    expect(moment.at(NOON)).toBe(0)
    expect(createTimeScale([], 600).at(NOON)).toBe(0)
  })
})
