import { readFileSync } from "node:fs"
import { Cluster, Redis } from "ioredis"
import { beforeAll, expect, onTestFinished, test } from "vitest"
import { systemClock } from "../../src/lib/clock.ts"
import { redisStore } from "../../src/server/redis/index.ts"
import type { CallRecord } from "../../src/server/callRecord.ts"
import { CallTable } from "../../src/server/callTable.ts"
import { newSession } from "../../src/server/sessionState.ts"
import type { SessionStore } from "../../src/server/sessionStore.ts"
import { seeded } from "../faults/random.ts"
import { createRedisProxy } from "./support/redisProxy.ts"
import { describeWithRedis, type RunningRedis, startRedis } from "./support/startRedis.ts"
import { until } from "./support/until.ts"

/** What a store needs to be allowed: as docs/scaling.md has it. */
const COMMANDS = /```text\n(\+[^`]*)```/.exec(readFileSync(new URL("../../docs/scaling.md", import.meta.url), "utf8"))?.[1]?.trim().split(/\s+/) ?? []

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

  const call = (id: string): CallRecord => ({
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

  test.each([
    ["READONLY", (own: RunningRedis) => own.client.replicaof("127.0.0.1", "1"), (own: RunningRedis) => own.client.replicaof("NO", "ONE")],
    ["OOM", (own: RunningRedis) => own.client.config("SET", "maxmemory", "1mb"), (own: RunningRedis) => own.client.config("SET", "maxmemory", "0")],
  ])("One that Redis refuses with %s rejects with 503, its operator is told why, and the next is made when Redis can again.", async (why, spoil, mend) => {
    await redis.client.flushall()
    const told: unknown[] = []
    const store = redisStore({ url: redis.url }).open({ clock: systemClock, maxLoggedEvents: 10, onError: (_message, error) => told.push(error) })
    onTestFinished(() => store.close())
    await add(store)
    await spoil(redis)
    try {
      await expect(add(store)).rejects.toMatchObject({ status: 503, code: "store_unavailable" })
      expect(told.map(String)).toContainEqual(expect.stringContaining(why))
      expect(told.length).toBeLessThan(4)
    } finally {
      await mend(redis)
    }
    expect(await add(store)).toBeGreaterThan(0)
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
    await one.update("s", (session) => ({ session: { ...session!, calls: CallTable.of([call("kept")]) }, events: [], result: undefined }))
    await redis.client.save()
    await one.update("s", (session) => ({ session: { ...session!, calls: CallTable.of([call("kept"), call("lost")]) }, events: [], result: undefined }))
    for (let more = 0; more < 5; more++) await add(more % 2 ? one : two)
    for (const store of [one, two]) expect((await store.read("s"))?.calls).toHaveLength(2)
    const { lastEventId } = (await two.view("s", undefined))!
    await redis.kill()
    await redis.start()
    // The second has a write of its own before the first has looked.
    expect(await add(two, 100)).toBe(1e15 + 101)
    const told = await Promise.all([one, two, openStore(redis.url)].map((store) => store.read("s")))
    expect(told.map((session) => session?.expiresAt)).toEqual([1e15 + 101, 1e15 + 101, 1e15 + 101])
    expect(told.map((session) => session && Array.from(session.calls, ({ id }) => id))).toEqual([["kept"], ["kept"], ["kept"]])
    expect(await add(one, 100)).toBe(1e15 + 201)
    // A stream that had seen what is lost goes on with what comes after.
    expect((await one.view("s", lastEventId))?.events?.length ?? 0).toBeLessThanOrEqual(2)
  })

  test("A session with many fields that came and went is told whole to who knows too old a one.", async () => {
    await redis.client.flushall()
    const [one, two] = [openStore(redis.url), openStore(redis.url)]
    await add(one)
    await one.update("s", (session) => ({ session: { ...session!, calls: CallTable.of([call("first")]) }, events: [], result: undefined }))
    expect((await two.read("s"))?.calls).toHaveLength(1)
    for (let index = 0; index < 200; index++) {
      await one.update("s", (session) => ({ session: { ...session!, calls: CallTable.of([call(`k${index}`), call(`l${index}`)]) }, events: [], result: undefined }))
    }
    const changes = (await redis.client.keys("*changes:*"))[0]!
    expect(await redis.client.zcard(changes)).toBeLessThan(120)
    expect(Array.from((await two.read("s"))!.calls, ({ id }) => id)).toEqual(["k199", "l199"])
  })

  test("What was said while a process could not listen is heard afterwards.", async () => {
    await redis.client.flushall()
    const proxy = await createRedisProxy(redis.port)
    const [one, two] = [openStore(redis.url), openStore(proxy.url)]
    await add(one)
    let woken = 0
    two.subscribe("s", () => woken++)
    await add(one)
    await until(() => woken > 0)
    const { lastEventId } = (await two.view("s", undefined))!
    await until(async () => (await two.view("s", lastEventId))?.events?.length === 0)
    proxy.isSilent = true
    const before = woken
    await add(one)
    proxy.cut()
    proxy.isSilent = false
    await until(() => woken > before)
    expect((await two.view("s", lastEventId))?.events).toHaveLength(1)
  })

  test("A listening connection that is dead without saying so is replaced, and what was said is heard.", async () => {
    await redis.client.flushall()
    const proxy = await createRedisProxy(redis.port)
    const [one, two] = [openStore(redis.url), openStore(proxy.url)]
    await add(one)
    let woken = 0
    two.subscribe("s", () => woken++)
    await add(one)
    await until(() => woken > 0)
    proxy.deafen()
    const before = woken
    await add(one)
    await until(() => woken > before)
    expect((await two.view("s", undefined))?.session.expiresAt).toBe(1e15 + 3)
  })

  test("A step whose write comes late is run again, with the time that it is by then.", async () => {
    await redis.client.flushall()
    const proxy = await createRedisProxy(redis.port)
    const store = openStore(proxy.url)
    await add(store)
    const fates = ["late" as const]
    proxy.decide = () => fates.shift() ?? "pass"
    const times: number[] = []
    await store.update("s", (session, now) => {
      times.push(now)
      return { session: { ...session!, expiresAt: now }, events: [], result: undefined }
    })
    expect(times.length).toBeGreaterThanOrEqual(2)
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(500)
    expect((await store.read("s"))?.expiresAt).toBe(times.at(-1))
  })

  test("A client that is given is only read: its options are taken over, its connection is left alone.", async () => {
    await redis.client.flushall()
    await redis.client.call("ACL", "SETUSER", "rtc", "on", ">secret", "resetchannels", "&app:rtc:*", "resetkeys", "~app:rtc:*", "-@all", ...COMMANDS)
    const client = new Redis(redis.port, "127.0.0.1", { username: "rtc", password: "secret", keyPrefix: "app:", lazyConnect: true })
    const failures: unknown[] = []
    const open = (): SessionStore =>
      redisStore({ client }).open({ clock: systemClock, maxLoggedEvents: 10, onError: (message, error) => failures.push(message, error) })
    const [one, two] = [open(), open()]
    let woken = 0
    two.subscribe("s", () => woken++)
    await add(one)
    await until(() => woken > 0)
    expect(await add(two)).toBe(1e15 + 2)
    await one.update("s", () => ({ session: undefined, events: [], result: undefined }))
    expect(await two.read("s")).toBeUndefined()
    expect(await redis.client.keys("*")).toEqual(["app:rtc:{0}:data"])
    one.close()
    two.close()
    expect(client.status).toBe("wait")
    expect(failures).toEqual([])
  })

  test("A Redis that refuses is told to the operator, and answered 503 at once.", async () => {
    await redis.client.flushall()
    const failures: string[] = []
    const store = redisStore({ url: redis.url }).open({ clock: systemClock, maxLoggedEvents: 10, onError: (message, error) => failures.push(`${message} ${String(error)}`) })
    onTestFinished(() => store.close())
    await add(store)
    const [key] = await redis.client.keys("*session:s")
    await redis.client.set(key!, "not a hash")
    await expect(add(store)).rejects.toMatchObject({ code: "store_unavailable", status: 503, headers: { "retry-after": "1" } })
    expect(failures[0]).toContain("WRONGTYPE")
  })

  test("What is due and was taken by a process that died is taken by another.", async () => {
    await redis.client.flushall()
    const dying = openStore(redis.url)
    let taken = 0
    dying.onDue(() => taken++)
    await dying.update("s", (_session, now) => ({ session: newSession("s", now + 10), events: [], result: undefined }))
    await until(() => taken === 1)
    dying.close()
    const other = openStore(redis.url)
    const swept: string[] = []
    other.onDue((id) => {
      swept.push(id)
      void other.update(id, () => ({ session: undefined, events: [], result: undefined }))
    })
    await until(() => swept.length > 0)
    await until(async () => (await redis.client.keys("*session:*")).length === 0)
    expect(swept).toEqual(["s"])
  })

  test("A session that ends is gone for those who watch it, and leaves nothing behind.", async () => {
    await redis.client.flushall()
    const [one, two] = [openStore(redis.url), openStore(redis.url)]
    let woken = 0
    two.subscribe("s", () => woken++)
    await add(one)
    await until(() => woken > 0)
    await one.update("s", () => ({ session: undefined, events: [], result: undefined }))
    await until(async () => (await two.view("s", undefined)) === undefined)
    expect(await redis.client.keys("rtc:*:*:*")).toEqual([])
    expect(await redis.client.keys("rtc:*due")).toEqual([])
  })
})

test("Each wrong option is said at once.", () => {
  expect(() => redisStore({ url: "" })).toThrow('redisStore: give url, such as "redis://')
  expect(() => redisStore({ url: "http://127.0.0.1" })).toThrow("redisStore: give url")
  expect(() => redisStore({} as never)).toThrow(TypeError)
  expect(() => redisStore({ client: new Cluster(["127.0.0.1:1"], { lazyConnect: true }) as never })).toThrow("A Cluster is not supported")
})
