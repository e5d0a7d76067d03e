import { expect, test } from "vitest"
import { createFakeClock } from "../../testing/fakeClock.ts"
import { createRedisHealth, FAILING_MS, HEALTH_MS, RECOVERED_MS } from "./redisHealth.ts"
import type { RedisLink } from "./redisLink.ts"

const OOM = Object.assign(new Error("OOM command not allowed when used memory > 'maxmemory'."), { name: "ReplyError" })

function setUp() {
  const clock = createFakeClock()
  const seen = { answer: (): string | null => "data", sent: 0, told: [] as string[], otherData: 0 }
  const link: Pick<RedisLink, "once" | "tell"> = {
    once: async () => {
      seen.sent++
      return seen.answer() as never
    },
    tell: (message) => void seen.told.push(message),
  }
  const health = createRedisHealth({ link, key: "key", clock, time: { mark: () => clock.now() }, onOtherData: () => seen.otherData++ })
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= HEALTH_MS) {
      await clock.advance(Math.min(left, HEALTH_MS))
      await Promise.resolve()
    }
  }
  return { seen, health, pass }
}
const full = (): never => {
  throw OOM
}

test("A store is ready with the first look that succeeds, and looks once a second however often it is asked.", async () => {
  const { seen, health, pass } = setUp()
  expect(health.trouble()).toContain("no connection")
  await pass(HEALTH_MS)
  for (let asked = 0; asked < 100; asked++) expect(health.trouble()).toBeUndefined()
  expect(seen.sent).toBe(1)
  await pass(10 * HEALTH_MS)
  expect(seen.sent).toBe(11)
})

test("A full Redis is said once it has lasted, with what to do, and well again only once that has lasted.", async () => {
  const { seen, health, pass } = setUp()
  await pass(HEALTH_MS)
  seen.answer = full
  await pass(HEALTH_MS)
  expect(health.trouble()).toBeUndefined()
  await pass(FAILING_MS)
  expect(health.trouble()).toContain("Raise maxmemory")
  seen.answer = () => "data"
  await pass(RECOVERED_MS)
  expect(health.trouble()).toContain("Raise maxmemory")
  await pass(HEALTH_MS)
  expect(health.trouble()).toBeUndefined()
})

test("A Redis at the edge of its memory does not make it come and go.", async () => {
  const { seen, health, pass } = setUp()
  await pass(HEALTH_MS)
  let turn = 0
  seen.answer = () => (turn++ % 2 ? full() : "data")
  const states = new Set<boolean>()
  for (let second = 0; second < 30; second++) {
    await pass(HEALTH_MS)
    states.add(health.trouble() === undefined)
  }
  expect(states.size).toBe(1)
})

test("Data that is not what it was is noticed once.", async () => {
  const { seen, pass } = setUp()
  await pass(2 * HEALTH_MS)
  expect(seen.otherData).toBe(0)
  seen.answer = () => null
  await pass(HEALTH_MS)
  expect(seen.otherData).toBe(1)
  seen.answer = () => "by another process"
  await pass(2 * HEALTH_MS)
  expect(seen.otherData).toBe(2)
})

test("A store that is closed looks no more.", async () => {
  const { seen, health, pass } = setUp()
  await pass(HEALTH_MS)
  health.close()
  await pass(10 * HEALTH_MS)
  expect(seen.sent).toBe(1)
})
