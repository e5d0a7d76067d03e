import { beforeAll, beforeEach, expect, test } from "vitest"
import { readFileSync } from "node:fs"
import { systemClock } from "../../src/lib/clock.ts"
import { openServer, type OpenServer } from "./support/openServer.ts"
import { createRedisProxy, type Fate } from "./support/redisProxy.ts"
import { describeWithRedis, type RunningRedis, startRedis } from "./support/startRedis.ts"
import { until } from "./support/until.ts"

describeWithRedis("Two servers with one Redis", () => {
  let redis: RunningRedis
  let first: OpenServer
  let second: OpenServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  beforeEach(async () => {
    await redis.client.flushall()
    first = openServer(redis.url)
    second = openServer(redis.url)
  })

  /** A session that the first server has made, with a page at the second. */
  async function serving() {
    const { id, token } = await first.server.createSession()
    const page = second.page(id, token)
    const events = await page.stream()
    await events.nextOf("session.running")
    const { body: client } = await page.register({ tools: [{ name: "add", description: "Adds.", parameters: { type: "object" } }] })
    return { id, token, page, events, clientId: client.id }
  }

  test("A call that is made at one reaches the page at the other, and its answer comes back.", async () => {
    const { id, page, events, clientId } = await serving()
    expect((await first.server.tools(id)).map(({ name }) => name)).toEqual(["client__web__add"])
    const outcome = first.server.callTool(id, "client__web__add", { a: 1 })
    const call = await events.nextOf("tool_call.dispatched")
    expect(call).toMatchObject({ client_id: clientId, tool: "add", arguments: { a: 1 } })
    expect(call.deadline_ms).toBeGreaterThan(290_000)
    expect((await page.ack(clientId, call.call_id)).status).toBe(204)
    expect((await page.answer(clientId, call.call_id, { text: "2" })).status).toBe(204)
    expect(await outcome).toEqual({ call_id: call.call_id, text: "2", is_error: false })
    expect(await events.nextOf("tool_call.settled")).toMatchObject({ call_id: call.call_id, reason: "answered" })
  })

  test("Requests of one page may come to either, and of two answers one counts.", async () => {
    const { id, token, page, events, clientId } = await serving()
    const elsewhere = first.page(id, token)
    const outcome = first.server.callTool(id, "client__web__add")
    const { call_id } = await events.nextOf("tool_call.dispatched")
    const answers = await Promise.all([page.answer(clientId, call_id, { text: "one" }), elsewhere.answer(clientId, call_id, { text: "two" })])
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
    expect((await outcome).text).toBe(answers[0].status === 204 ? "one" : "two")
    // The same answer again is welcome wherever it comes.
    const text = (await outcome).text
    expect([(await page.answer(clientId, call_id, { text })).status, (await elsewhere.answer(clientId, call_id, { text })).status]).toEqual([204, 204])
  })

  test("A stream that broke at one resumes at the other from where it stopped.", async () => {
    const { id, token, page, events, clientId } = await serving()
    const { id: place } = await events.next()
    await events.cancel()
    const missed = first.server.callTool(id, "client__web__add")
    await until(async () => (await redis.client.xlen((await redis.client.keys("*log:*"))[0]!)) >= 2)
    await page.ping(clientId, { suspended: true })
    const resumed = await first.page(id, token).stream(place)
    const said = [await resumed.next(), await resumed.next(), await resumed.next()]
    expect(said.map(({ type }) => type)).toEqual(["tool_client.updated", "session.running", "tool_call.dispatched"])
    const dispatched = said[2] as Extract<(typeof said)[number], { type: "tool_call.dispatched" }>
    await page.answer(clientId, dispatched.data.call_id, { text: "late" })
    expect((await missed).text).toBe("late")
    const strange = await first.page(id, token).stream("1-2-3")
    expect((await strange.next()).type).toBe("resync")
  })

  test("The same Idempotency-Key is the same call at both.", async () => {
    const { id, page, events, clientId } = await serving()
    const ask = ({ server }: OpenServer): Promise<Response> =>
      server.fetch(
        new Request(`http://server.test/v1/sessions/${id}/tool-calls?wait=20`, {
          method: "POST",
          headers: { authorization: "Bearer key-of-the-agent", "content-type": "application/json", "idempotency-key": "k" },
          body: JSON.stringify({ tool: "client__web__add" }),
        }),
      )
    const both = [ask(first), ask(second)]
    const { call_id } = await events.nextOf("tool_call.dispatched")
    await page.answer(clientId, call_id)
    const bodies = await Promise.all(both.map(async (response) => (await response).json() as Promise<{ call_id: string }>))
    expect(bodies.map((body) => body.call_id)).toEqual([call_id, call_id])
  })

  test("A client whose page has died is dropped by whichever server looks first, and its call is settled once.", async () => {
    const { id, token } = await first.server.createSession()
    const page = second.page(id, token)
    const events = await page.stream()
    const { body: client } = await page.register({ lifetime: { type: "ttl", data: { seconds: 1 } } })
    const outcome = first.server.callTool(id, "client__web__add")
    const { call_id } = await events.nextOf("tool_call.dispatched")
    expect(await outcome).toMatchObject({ call_id, is_error: true, text: expect.stringContaining("no sign of life") })
    const said: string[] = []
    for (let event = await events.next(); ; event = await events.next()) {
      said.push(event.type)
      if (event.type === "tool_call.settled") break
    }
    expect(said).toEqual(["tool_client.expired", "tool_call.settled"])
    expect(await page.ping(client.id)).toMatchObject({ status: 404 })
  })

  test.each<Fate>(["lostBefore", "lostAfter"])("A write whose connection breaks (%s) is made, and made once.", async (fate) => {
    const proxy = await createRedisProxy(redis.port)
    const third = openServer(proxy.url)
    const { id, token, page, events, clientId } = await serving()
    let fates: Fate[] = []
    let lost = 0
    proxy.decide = () => fates.shift() ?? "pass"
    proxy.onLost = () => lost++
    await third.server.setRunning(id, true)
    fates = [fate, fate]
    const outcome = third.server.callTool(id, "client__web__add")
    const { call_id } = await events.nextOf("tool_call.dispatched")
    await until(() => fates.length === 0)
    fates = [fate]
    await third.page(id, token).answer(clientId, call_id)
    fates = [fate]
    await third.server.setRunning(id, false)
    expect(await outcome).toMatchObject({ call_id, is_error: false })
    expect(lost).toBe(4)
    // A last one, to know that all before have come.
    await page.ping(clientId, { suspended: true })
    await events.nextOf("tool_call.settled")
    const said: string[] = []
    for (let event = await events.next(); event.type !== "tool_client.updated"; event = await events.next()) said.push(event.type)
    expect(said).toEqual(["session.running"])
  })

  test("A server that is cut off from Redis answers 503 in time, and works again when it is back.", async () => {
    const proxy = await createRedisProxy(redis.port)
    const third = openServer(proxy.url)
    const { id, token, page, events, clientId } = await serving()
    const there = third.page(id, token)
    const stream = await there.stream()
    await stream.nextOf("session.running")
    proxy.isSilent = true
    const refused = await there.ping(clientId)
    expect(refused).toMatchObject({ status: 503, body: { error: { code: "store_unavailable" } } })
    expect(refused.headers.get("retry-after")).toBe("1")
    // What is said meanwhile reaches its streams afterwards.
    const outcome = first.server.callTool(id, "client__web__add")
    const { call_id } = await events.nextOf("tool_call.dispatched")
    proxy.isSilent = false
    await until(async () => (await there.ping(clientId)).status === 204)
    const again = await stream.nextOf("tool_call.dispatched").catch(async () => (await there.stream()).nextOf("tool_call.dispatched"))
    expect(again.call_id).toBe(call_id)
    await page.answer(clientId, call_id)
    expect((await outcome).is_error).toBe(false)
  })

  test("Where Redis has forgotten everything, who waits is told so, streams are told to resync, and pages register again.", async () => {
    const { id, token, page, events, clientId } = await serving()
    const outcome = first.server.callTool(id, "client__web__add")
    const { call_id } = await events.nextOf("tool_call.dispatched")
    const place = events.waiting.at(-1)?.id ?? "1-0-0"
    await redis.kill()
    await redis.start()
    expect(await outcome).toMatchObject({ call_id, is_error: true, text: expect.stringContaining("may have run") })
    await events.ended
    const resumed = await page.stream(place)
    expect((await resumed.next()).type).toBe("resync")
    expect((await page.answer(clientId, call_id)).status).toBe(404)
    const { body: anew } = await page.register()
    const next = second.server.callTool(id, "client__web__add")
    const again = await resumed.nextOf("tool_call.dispatched")
    await first.page(id, token).answer(anew.id, again.call_id, { text: "again" })
    expect((await next).text).toBe("again")
  })

  test("Servers whose clocks are hours apart agree on tokens, their revocation, deadlines and ttls.", async () => {
    const HOURS_MS = 3 * 3_600_000
    const shifted = (ms: number): OpenServer => openServer(redis.url, { clock: { ...systemClock, now: () => Date.now() + ms } })
    const [ahead, behind] = [shifted(HOURS_MS), shifted(-HOURS_MS)]
    // Each has asked Redis once.
    await Promise.all([ahead, behind].map(({ server }) => server.createSession()))
    for (const [one, other] of [[ahead, behind], [behind, ahead]] as const) {
      const { id, token } = await one.server.createSession()
      const page = other.page(id, token)
      const events = await page.stream()
      await events.nextOf("session.running")
      const { body: client } = await page.register()
      const outcome = one.server.callTool(id, "client__web__add")
      const { call_id, deadline_ms } = await events.nextOf("tool_call.dispatched")
      expect(deadline_ms).toBeGreaterThan(290_000)
      expect(deadline_ms).toBeLessThanOrEqual(300_000)
      await page.answer(client.id, call_id)
      expect((await outcome).is_error).toBe(false)
      await other.server.revokeSession(id)
      expect(await one.page(id, token).ping(client.id)).toMatchObject({ status: 401, body: { error: { code: "token_revoked" } } })
      await expect(one.server.createToken(id)).rejects.toMatchObject({ code: "session_revoked" })
      const again = await one.server.createSession({ id })
      expect((await other.page(id, again.token).register()).status).toBe(201)
    }
  })

  test("A token of one opens its session at the other.", async () => {
    const { id, token } = await first.server.createSession()
    await redis.client.flushall()
    expect((await second.page(id, token).register()).status).toBe(201)
    expect(await first.server.tools(id)).toHaveLength(1)
  })

  test("Nothing in Redis ends by a key's own ttl, and everything stands under the prefix.", async () => {
    await serving()
    const keys = await redis.client.keys("*")
    expect(keys.length).toBeGreaterThan(3)
    for (const key of keys) {
      expect(key.startsWith("rtc:")).toBe(true)
      expect(await redis.client.pttl(key)).toBe(-1)
    }
  })

  test("What is written of a ping does not grow with the client's tools.", async () => {
    const { id, token } = await first.server.createSession()
    const page = second.page(id, token)
    const { body: client } = await page.register({ tools: [{ name: "add", description: "x".repeat(8_000), parameters: { type: "object" } }] })
    const monitor = await redis.client.monitor()
    const sizes: number[] = []
    monitor.on("monitor", (_time: string, args: string[]) => {
      if (args[0] === "evalsha") sizes.push(args.join(" ").length)
    })
    await page.ping(client.id)
    await until(() => sizes.length > 0)
    monitor.disconnect()
    expect(Math.max(...sizes)).toBeLessThan(3_000)
  })
})

test("What a session server keeps in Redis is said in docs/scaling.md.", () => {
  const document = readFileSync(new URL("../../docs/scaling.md", import.meta.url), "utf8")
  for (const word of ["noeviction", "appendfsync", "prefix", "hub"]) expect(document).toContain(word)
})
