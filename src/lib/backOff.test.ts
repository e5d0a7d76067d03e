import { describe, expect, it } from "vitest"
import { createFakeClock } from "../testing/fakeClock.ts"
import { BACK_OFF_MAX_MS, BACK_OFF_MIN_MS, backOffDelay, RETRY_AFTER_MAX_MS } from "./backOff.ts"

/** The longest and the shortest that chance may make of it. */
const longest = (attempt: number, retryAfterMs?: number): number => backOffDelay(createFakeClock({ random: () => 1 }), attempt, retryAfterMs)
const shortest = (attempt: number, retryAfterMs?: number): number => backOffDelay(createFakeClock({ random: () => 0 }), attempt, retryAfterMs)

describe("a back-off", () => {
  it("doubles from half a second, up to half a minute", () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((attempt) => longest(attempt))).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
    expect([BACK_OFF_MIN_MS, BACK_OFF_MAX_MS]).toEqual([500, 30_000])
  })

  it("has full jitter from the first retry on, so that a thousand pages do not come back together", () => {
    for (const attempt of [0, 3, 20]) expect(shortest(attempt)).toBe(0)
    expect(backOffDelay(createFakeClock({ random: () => 0.25 }), 0)).toBe(125)
  })

  it.each([100, 1_024, 1e9])("stays at its longest after %d attempts", (attempt) => {
    expect(longest(attempt)).toBe(BACK_OFF_MAX_MS)
  })

  it("waits at least as long as the server asks, with half a back-off of jitter on top", () => {
    expect(shortest(0, 7_000)).toBe(7_000)
    expect(longest(0, 7_000)).toBe(7_250)
    expect(longest(6, 7_000)).toBe(22_000)
    expect(shortest(0, 0)).toBe(0)
  })

  it.each([60_001, 3_600_000, Infinity])("does not stay away for an hour because one proxy says so (%d ms)", (retryAfterMs) => {
    expect(shortest(0, retryAfterMs)).toBe(RETRY_AFTER_MAX_MS)
  })

  it("takes a negative wish for none", () => {
    expect(shortest(0, -5_000)).toBe(0)
  })

  it("spreads a thousand first retries over the whole half second", () => {
    const clock = createFakeClock({ random: Math.random })
    const buckets = new Array<number>(5).fill(0)
    for (let count = 0; count < 1_000; count++) buckets[Math.floor(backOffDelay(clock, 0) / 100)]!++
    // 200 are expected in each; three times the mean is what a server must bear.
    for (const bucket of buckets) expect(bucket).toBeLessThan(600)
  })
})
