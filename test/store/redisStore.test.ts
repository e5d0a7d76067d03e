import { beforeAll, expect, test } from "vitest"
import { systemClock } from "../../src/lib/clock.ts"
import { redisStore } from "../../src/server/redis/index.ts"
import { describeWithRedis, type RunningRedis, startRedis } from "../redis/support/startRedis.ts"
import { until } from "../redis/support/until.ts"
import { testStore } from "./storeContract.ts"

describeWithRedis("On Redis", () => {
  let redis: RunningRedis
  let stores = 0
  beforeAll(async () => {
    redis = await startRedis()
  })

  test("The server is the one that these tests are for.", async () => {
    expect(/^valkey_version:/m.test(await redis.client.info("server"))).toBe(process.env["REDIS_TESTS_ON"] === "valkey")
  })

  testStore("The Redis store", () => {
    let timers = 0
    const clock: typeof systemClock = {
      ...systemClock,
      setTimeout(callback, ms) {
        timers++
        const handle = systemClock.setTimeout(() => {
          timers--
          open.delete(handle)
          callback()
        }, ms)
        open.add(handle)
        return handle
      },
      clearTimeout(handle) {
        if (open.delete(handle)) timers--
        systemClock.clearTimeout(handle)
      },
    }
    const open = new Set<unknown>()
    const onError = (message: string, error: unknown): void => {
      throw new Error(message, { cause: error })
    }
    const storage = redisStore({ url: redis.url, prefix: `contract-${stores++}:` })
    const store = storage.open({ clock, maxLoggedEvents: 3, onError })
    return { store, elsewhere: storage.open({ clock: systemClock, maxLoggedEvents: 3, onError }), until, timers: () => timers }
  })
})
