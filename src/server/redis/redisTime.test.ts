import { expect, test } from "vitest"
import { createRedisTime } from "./redisTime.ts"

function setUp() {
  let steady = 1_000
  const time = createRedisTime({ steady: () => steady, now: () => 5 })
  return {
    time,
    pass: (ms: number) => (steady += ms),
    /** Redis says its time `there` ms after the question was sent; the answer takes `back` ms. */
    ask(redisMs: number, there: number, back: number) {
      const sentAt = time.mark()
      steady += there + back
      time.sample(redisMs, sentAt, time.mark())
    },
  }
}

test("before it has asked, time is this process's own", () => {
  expect(setUp().time.now()).toBe(5)
})

test("time is Redis', as exactly as the way there and back lets it be known", () => {
  const { time, ask, pass } = setUp()
  ask(50_000, 10, 10)
  expect(time.now()).toBe(50_011)
  pass(100)
  expect(time.now()).toBe(50_111)
})

test("an answer that took long does not make worse what is known", () => {
  const { time, ask } = setUp()
  ask(50_000, 1, 1)
  const before = time.now()
  ask(50_001 + 200, 200, 0)
  expect(Math.abs(time.now() - (before + 200))).toBeLessThanOrEqual(2)
})

test("after a while a fresh answer counts more than an old exact one", () => {
  const { time, ask, pass } = setUp()
  ask(50_000, 1, 1)
  pass(3_600_000)
  // A clock that runs a little slow: it has lost 500 ms in the hour.
  ask(50_001 + 3_600_000 + 500, 10, 10)
  expect(time.now()).toBe(50_001 + 3_600_000 + 500 + 11)
})

test("a Redis whose clock is another is believed at once", () => {
  const { time, ask } = setUp()
  ask(50_000, 1, 1)
  ask(10_000, 100, 100)
  expect(time.now()).toBe(10_101)
})
