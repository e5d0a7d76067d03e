// What an operator does to a Redis, or has set up wrongly, and what a session server says of it.
import { beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { createOperatorRoutes } from "../../src/cli/operatorRoutes.ts"
import { createMetrics } from "../../src/server/index.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { redisStore } from "../../src/server/redis/index.ts"
import { newSession } from "../../src/server/sessionState.ts"
import type { SessionStore } from "../../src/server/sessionStore.ts"
import { readInfo } from "../../src/server/redis/redisTrouble.ts"
import { createRedisProxy } from "./support/redisProxy.ts"
import { openServer } from "./support/openServer.ts"
import { describeWithRedis, type RunningRedis, startRedis } from "./support/startRedis.ts"
import { until } from "./support/until.ts"

const probe = async ({ server }: ReturnType<typeof openServer>): Promise<string> => {
  const response = await createOperatorRoutes({ server, metrics: createMetrics(), apiKeys: ["key"] }).fetch(new Request("http://server.test/readyz"))
  return `${response.status} ${await response.text()}`.trim()
}

describeWithRedis("An operator's Redis", () => {
  let redis: RunningRedis
  let own: RunningRedis[]
  beforeAll(async () => {
    own = await Promise.all([startRedis(), startRedis(), startRedis()])
    redis = await startRedis()
  })

  test("One that is full, a replica, or without the replicas it asks for makes /readyz answer 503 with the reason, and 200 again afterwards.", async () => {
    const cases: readonly [reason: string, spoil: (own: RunningRedis) => Promise<unknown>, mend: (own: RunningRedis) => Promise<unknown>][] = [
      ["Raise maxmemory", (own) => own.client.config("SET", "maxmemory", "1mb"), (own) => own.client.config("SET", "maxmemory", "0")],
      ["Connect to the primary", (own) => own.client.replicaof("127.0.0.1", "1"), (own) => own.client.replicaof("NO", "ONE")],
      ["min-replicas-to-write", (own) => own.client.config("SET", "min-replicas-to-write", "1"), (own) => own.client.config("SET", "min-replicas-to-write", "0")],
    ]
    const each = async ([reason, spoil, mend]: (typeof cases)[number], own: RunningRedis): Promise<void> => {
      const opened = openServer(own.url)
      await until(async () => (await probe(opened)) === "200 ready")
      await spoil(own)
      await until(async () => (await probe(opened)).startsWith("503"))
      expect(await probe(opened)).toContain(reason)
      expect(opened.logged.join("\n")).toContain(reason)
      await mend(own)
      await until(async () => (await probe(opened)) === "200 ready")
    }
    await Promise.all(cases.map((one, index) => each(one, own[index]!)))
  })

  test("FLUSHALL in the middle: who waits is told within moments, pages come back, and later calls are answered.", async () => {
    const [agents, pages] = [openServer(redis.url), openServer(redis.url)]
    const { id, token } = await agents.server.createSession()
    const page = pages.page(id, token)
    const events = await page.stream()
    await page.register()
    const outcome = agents.server.callTool(id, "client__web__add")
    await events.nextOf("tool_call.dispatched")
    await until(() => agents.server.readiness().status === "ready")
    await redis.client.flushall()
    // The page says nothing, so nobody writes to the session any more.
    expect(await outcome).toMatchObject({ is_error: true, text: expect.stringContaining("may have run") })
    await events.ended
    expect((await page.register()).status).toBe(201)
    const again = await page.stream()
    const next = agents.server.callTool(id, "client__web__add")
    const call = await again.nextOf("tool_call.dispatched")
    await page.answer(call.client_id, call.call_id, { text: "again" })
    expect((await next).text).toBe("again")
  })

  test("A full Redis lets sessions whose time has come end, which frees it.", async () => {
    const full = own[0]!
    await full.client.flushall()
    const store = redisStore({ url: full.url }).open({ clock: systemClock, maxLoggedEvents: 10, onError() {} })
    onTestFinished(() => store.close())
    await store.update("s", (_session, now) => ({ session: newSession("s", now + 300), events: [], result: undefined }))
    await full.client.config("SET", "maxmemory", "1mb")
    onTestFinished(async () => void (await full.client.config("SET", "maxmemory", "0")))
    store.onDue((id) => void store.update(id, () => ({ session: undefined, events: [], result: undefined })))
    await until(async () => (await full.client.keys("*session:*")).length === 0)
  })

  test("Two databases of one Redis are two applications, also where their sessions have the same id.", async () => {
    const open = (database: number): SessionStore => {
      const store = redisStore({ url: `${redis.url}/${database}` }).open({ clock: systemClock, maxLoggedEvents: 10, onError() {} })
      onTestFinished(() => store.close())
      return store
    }
    const [first, second] = [open(0), open(1)]
    const woken = { first: 0, second: 0 }
    first.subscribe("same", () => woken.first++)
    second.subscribe("same", () => woken.second++)
    await until(async () => ((await redis.client.pubsub("CHANNELS", "rtc:changed:*same")) as string[]).length === 2)
    await second.read("same")
    await until(() => woken.second > 0)
    const before = { ...woken }
    await first.update("same", (_session, now) => ({ session: newSession("same", now + 60_000), events: [{ type: "session.running", data: { running: true } }], result: undefined }))
    await until(() => woken.first > before.first)
    expect(await second.view("same", undefined)).toBeUndefined()
    expect(woken.second).toBe(before.second)
  })

  test("A failover to a replica that has not had the last writes: both servers go on with what it has, and give no version twice.", async () => {
    const [primary, replica] = [own[1]!, own[2]!]
    await replica.client.replicaof("127.0.0.1", String(primary.port))
    const proxy = await createRedisProxy(primary.port)
    const open = (): SessionStore => {
      const store = redisStore({ url: proxy.url }).open({ clock: systemClock, maxLoggedEvents: 10, onError() {} })
      onTestFinished(() => store.close())
      return store
    }
    const [one, two] = [open(), open()]
    const add = (store: SessionStore, ms: number): Promise<number> =>
      store.update("s", (session) => {
        const expiresAt = (session?.expiresAt ?? 1e15) + ms
        return { session: { ...(session ?? newSession("s", 0)), expiresAt }, events: [], result: expiresAt }
      })
    await add(one, 1)
    await until(async () => (await primary.client.wait(1, 100)) === 1)
    await replica.client.replicaof("NO", "ONE")
    expect(await add(two, 10)).toBe(1e15 + 11)
    const lost = await primary.client.hget((await primary.client.keys("*session:s"))[0]!, "version")
    proxy.port = replica.port
    // The old one says no from now on, and is left for what its name leads to.
    await primary.client.replicaof("127.0.0.1", String(replica.port))
    expect(await add(two, 100)).toBe(1e15 + 101)
    expect(await add(one, 1_000)).toBe(1e15 + 1_101)
    expect(await two.read("s")).toMatchObject({ expiresAt: 1e15 + 1_101 })
    expect(Number(await replica.client.hget((await replica.client.keys("*session:s"))[0]!, "version"))).toBeGreaterThan(Number(lost))
    await primary.client.replicaof("NO", "ONE")
  })

  test("An eviction policy that can take sessions away is told at the start.", async () => {
    await redis.client.config("SET", "maxmemory-policy", "allkeys-lru")
    onTestFinished(async () => void (await redis.client.config("SET", "maxmemory-policy", "noeviction")))
    const opened = openServer(redis.url)
    await until(() => opened.logged.length > 0)
    expect(opened.logged[0]).toContain("Set maxmemory-policy noeviction.")
  })

  test.each(["p@ss:w/o#r?d%&", " ü€"])("The password %j is taken when it is percent-encoded.", async (password) => {
    await redis.client.call("ACL", "SETUSER", "odd", "on", "resetpass", `>${password}`, "~*", "&*", "+@all")
    const opened = openServer(redis.url.replace("//", `//odd:${encodeURIComponent(password)}@`))
    await opened.server.createSession()
    expect(opened.logged).toEqual([])
  })

  test("A wrong password is told as such, once, and to /readyz without the password or the address.", async () => {
    const opened = openServer(redis.url.replace("//", "//odd:wrong-secret@"))
    await until(async () => (await probe(opened)).includes("password"))
    expect(await probe(opened)).not.toMatch(/wrong-secret|127\.0\.0\.1/)
    expect(opened.logged.filter((line) => line.includes("password"))).toHaveLength(1)
    expect(opened.logged.join()).not.toContain("wrong-secret")
  })
})

describeWithRedis("A cluster", () => {
  test("is refused with what to take instead.", async () => {
    const redis = await startRedis({ args: ["--cluster-enabled", "yes"] })
    const opened = openServer(redis.url)
    await until(async () => (await probe(opened)).includes("runs as a cluster"))
    expect(opened.logged.join("\n")).toContain("primary without cluster mode")
    await expect(opened.server.createSession()).rejects.toMatchObject({ code: "store_unavailable" })
  })
})

describe("What a server says of itself", () => {
  test("An old one is refused, Valkey is not, and only policies that evict our keys are warned of.", () => {
    expect(readInfo("redis_version:6.2.14\r\nredis_mode:standalone\r\n").unsuitable?.message).toContain("Redis 6.2.14 is too old")
    const valkey = readInfo("redis_version:7.2.4\r\nvalkey_version:8.0.1\r\nrun_id:abc\r\nmaxmemory_policy:volatile-lru\r\n")
    expect(valkey).toEqual({ runId: "abc", unsuitable: undefined, warning: undefined })
    expect(readInfo("")).toEqual({ runId: undefined, unsuitable: undefined, warning: undefined })
  })
})
