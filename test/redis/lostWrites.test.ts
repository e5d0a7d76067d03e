import { beforeAll, expect, test } from "vitest"
import { systemClock } from "../../src/lib/clock.ts"
import { redisStore } from "../../src/server/redis/index.ts"
import { newSession, type SessionState } from "../../src/server/sessionState.ts"
import type { SessionStore } from "../../src/server/sessionStore.ts"
import { onTestFinished } from "vitest"
import { seeded } from "../faults/random.ts"
import { createRedisProxy } from "./support/redisProxy.ts"
import { describeWithRedis, type RunningRedis, startRedis } from "./support/startRedis.ts"
import { until } from "./support/until.ts"

describeWithRedis("Steps on sessions in Redis", () => {
  let redis: RunningRedis
  beforeAll(async () => {
    redis = await startRedis()
  })

  function openStore(url: string): SessionStore {
    const store = redisStore({ url }).open({ clock: systemClock, maxLoggedEvents: 10, onError() {} })
    onTestFinished(() => store.close())
    return store
  }

  /** A step that must not be made twice. */
  const add = (store: SessionStore, ms = 1): Promise<number> =>
    store.update("s", (session) => {
      const expiresAt = (session?.expiresAt ?? 1e15) + ms
      return { session: { ...(session ?? newSession("s", 0)), expiresAt }, events: [{ type: "session.running", data: { running: true } }], result: expiresAt }
    })

  test("Each is made once, whatever writes and answers are lost, and from several processes.", () =>
    seeded(async (random) => {
      await redis.client.flushall()
      const proxies = [await createRedisProxy(redis.port), await createRedisProxy(redis.port)]
      const stores = proxies.map(({ url }) => openStore(url))
      let lost = 0
      for (const proxy of proxies) {
        proxy.decide = () => (random.chance(0.3) ? random.pick(["lostBefore", "lostAfter"] as const) : "pass")
        proxy.onLost = () => lost++
      }
      const seen: number[] = []
      const one = async (store: SessionStore): Promise<void> => {
        for (let count = 0; count < 15; count++) seen.push(await add(store))
      }
      await Promise.all([...stores, ...stores].map(one))
      expect(lost).toBeGreaterThan(5)
      // No step has seen what another saw, and none is missing.
      expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => 1e15 + 1 + index))
      expect((await openStore(redis.url).read("s"))?.expiresAt).toBe(1e15 + 60)
    }))

  test("A Redis that comes back with an older state is taken for what it is, by all alike.", async () => {
    await redis.client.flushall()
    const [one, two] = [openStore(redis.url), openStore(redis.url)]
    for (const store of [one, two]) store.subscribe("s", () => {})
    await add(one)
    await redis.client.save()
    for (let more = 0; more < 5; more++) await add(more % 2 ? one : two)
    const { lastEventId } = (await two.view("s", undefined))!
    await redis.kill()
    await redis.start()
    // The second has a write of its own before the first has looked.
    expect(await add(two, 100)).toBe(1e15 + 101)
    const told = await Promise.all([one, two, openStore(redis.url)].map((store) => store.read("s")))
    expect(told.map((session) => session?.expiresAt)).toEqual([1e15 + 101, 1e15 + 101, 1e15 + 101])
    expect(await add(one, 100)).toBe(1e15 + 201)
    // A stream that had seen what is lost goes on with what comes after.
    expect((await one.view("s", lastEventId))?.events?.length ?? 0).toBeLessThanOrEqual(2)
  })

  test("A session with many fields that came and went is told whole to who knows too old a one.", async () => {
    await redis.client.flushall()
    const [one, two] = [openStore(redis.url), openStore(redis.url)]
    await add(one)
    expect((await two.read("s"))?.expiresAt).toBe(1e15 + 1)
    const call = (id: string): SessionState["calls"][number] => ({
      status: "settled",
      id,
      clientId: "c",
      instanceId: "i",
      loadId: "l",
      tool: "add",
      idempotency: null,
      answer: { text: id, is_error: false },
      reason: "answered",
    })
    for (let index = 0; index < 200; index++) {
      await one.update("s", (session) => ({ session: { ...session!, calls: [call(`k${index}`), call(`l${index}`)] }, events: [], result: undefined }))
    }
    const changes = (await redis.client.keys("*:changes"))[0]!
    expect(await redis.client.zcard(changes)).toBeLessThan(120)
    expect((await two.read("s"))?.calls.map(({ id }) => id)).toEqual(["k199", "l199"])
  })

  test("Many fields stay readable while they are watched, and none is left over.", async () => {
    await redis.client.flushall()
    const [one, two] = [openStore(redis.url), openStore(redis.url)]
    let woken = 0
    two.subscribe("s", () => woken++)
    await add(one)
    await until(() => woken > 0)
    await one.update("s", () => ({ session: undefined, events: [], result: undefined }))
    await until(async () => (await two.view("s", undefined)) === undefined)
    expect(await redis.client.keys("rtc:*session*")).toEqual([])
    expect(await redis.client.keys("rtc:*due")).toEqual([])
  })
})

test("Each wrong option is said at once.", () => {
  expect(() => redisStore({ url: "" })).toThrow('redisStore: give url, such as "redis://127.0.0.1:6379", or client')
  expect(() => redisStore({ url: "http://127.0.0.1" })).toThrow("redisStore: give url")
  expect(() => redisStore({} as never)).toThrow(TypeError)
})
