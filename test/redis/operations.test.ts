// What an operator does to a Redis, or has set up wrongly, and what a session server says of it.
import { beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { createOperatorRoutes } from "../../src/cli/operatorRoutes.ts"
import { createMetrics } from "../../src/server/index.ts"
import { readInfo } from "../../src/server/redis/redisTrouble.ts"
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
