// A primary, its replica and a real Sentinel that makes the one the other's successor.
import { Redis } from "ioredis"
import { expect, onTestFinished, test } from "vitest"
import { redisStore } from "../../src/server/redis/index.ts"
import { openServer } from "./support/openServer.ts"
import { describeWithRedis, startRedis, startSentinel } from "./support/startRedis.ts"
import { until } from "./support/until.ts"

const NAME = "sessions"

describeWithRedis("Behind Sentinel", () => {
  test("a primary that dies is followed by its replica: sessions, clients and streams go on at both servers, and an open call is settled once.", async () => {
    const primary = await startRedis({ args: ["--repl-diskless-sync-delay", "0"] })
    const replica = await startRedis({ args: ["--replicaof", "127.0.0.1", String(primary.port)] })
    await until(async () => (await replica.client.info("replication")).includes("master_link_status:up"))
    const sentinel = await startSentinel(NAME, primary)
    // It asks the primary for its replicas every ten seconds.
    const watcher = new Redis(sentinel, "127.0.0.1")
    onTestFinished(() => watcher.disconnect())
    await until(async () => ((await watcher.call("SENTINEL", "REPLICAS", NAME)) as unknown[]).length === 1)

    const client = new Redis({ sentinels: [{ host: "127.0.0.1", port: sentinel }], name: NAME, lazyConnect: true })
    onTestFinished(() => client.disconnect())
    const [one, other] = [openServer("", { store: redisStore({ client }) }), openServer("", { store: redisStore({ client }) })] as const
    const { id, token } = await one.server.createSession()
    const page = other.page(id, token)
    const events = await page.stream()
    await events.nextOf("session.running")
    const { body: registered } = await page.register({ lifetime: { type: "never" } })
    const open = one.server.callTool(id, "client__web__add", { before: true })
    const before = await events.nextOf("tool_call.dispatched")
    await page.ack(registered.id, before.call_id)
    await primary.client.wait(1, 5_000)

    await primary.kill()
    await until(async () => (await replica.client.info("replication")).includes("role:master"))
    await until(async () => (await page.answer(registered.id, before.call_id, { text: "after the failover" })).status === 204)
    expect(await open).toMatchObject({ text: "after the failover", is_error: false })
    const next = one.server.callTool(id, "client__web__add", { after: true })
    const dispatched = await events.nextOf("tool_call.dispatched")
    expect(dispatched.arguments).toEqual({ after: true })
    await page.answer(registered.id, dispatched.call_id)
    expect(await next).toMatchObject({ is_error: false })
    for (const { server } of [one, other]) await until(() => server.readiness().status === "ready")
  })
})
