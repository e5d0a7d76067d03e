import { afterAll, beforeAll, expect, test } from "vitest"
import { createPage } from "../server/support/createPage.ts"
import { API_KEY } from "./support/openServer.ts"
import { createBalancer, type Balancer } from "./support/createBalancer.ts"
import { createLedger, type Ledger } from "./support/createLedger.ts"
import { createRedisProxy, type Fate, type RedisProxy } from "./support/redisProxy.ts"
import { describeWithRedis, type RunningRedis, startRedis } from "./support/startRedis.ts"
import { type ServerProcess, startServer } from "./support/startServer.ts"
import { until } from "./support/until.ts"

/** A tool that is so slow, in milliseconds, has its ack written before its answer. */
const SLOW_MS = 100

describeWithRedis("Two server processes, a page and an agent", () => {
  let redis: RunningRedis
  /** In front of each process. */
  let links: RedisProxy[]
  let agents: ServerProcess
  let pages: ServerProcess
  let agentSide: Balancer
  let pageSide: Balancer
  let ledger: Ledger
  let sessionId: string
  /** How long the tool takes. */
  let workMs = 0

  beforeAll(async () => {
    redis = await startRedis({ keeps: "everything" })
    links = [await createRedisProxy(redis.port, { forFile: true }), await createRedisProxy(redis.port, { forFile: true })]
    ;[agents, pages] = await Promise.all([startServer(links[0]!.url), startServer(links[1]!.url)])
    agentSide = await createBalancer([agents.port, pages.port])
    pageSide = await createBalancer([pages.port, agents.port])
    ledger = createLedger({ pageUrl: pageSide.url, agentUrl: agentSide.url })
    sessionId = await ledger.createSession()
    await ledger.openPage(sessionId, { workMs: () => workMs })
  })
  afterAll(() => ledger?.close())

  /** Makes sure that both run and each has its side again. */
  async function restored(): Promise<void> {
    for (const server of [agents, pages]) if (!server.isRunning) await server.start()
    for (const link of links) Object.assign(link, { decide: undefined, onLost: undefined, isSilent: false })
    pageSide.cut()
  }

  async function answered(): Promise<void> {
    const call = ledger.call(sessionId)
    const end = await call.end
    ledger.check([{ call, end }])
    // Whoever asks again hears the same: it was settled once.
    expect(await ledger.ask(sessionId, call)).toEqual(end)
    expect(end).toMatchObject({ type: "settled", is_error: false, text: String(call.input * 2) })
  }

  test("A call from one reaches the page at the other.", async () => {
    await answered()
    await answered()
  })

  const steps = [
    { what: "makes the call", victim: "agents", write: 1, work: 0 },
    { what: "takes the ack and the answer at once", victim: "pages", write: 1, work: 0 },
    { what: "takes the ack", victim: "pages", write: 1, work: SLOW_MS },
    { what: "takes the answer", victim: "pages", write: 2, work: SLOW_MS },
  ] as const

  for (const { what, victim, write, work } of steps) {
    for (const fate of ["lostBefore", "lostAfter"] satisfies Fate[]) {
      test(`A process that dies as it ${what} (its write is ${fate}) costs no call.`, async () => {
        await restored()
        workMs = work
        await answered()
        const [link, server] = victim === "agents" ? [links[0]!, agents] : [links[1]!, pages]
        let writes = 0
        link.decide = () => (++writes >= write ? fate : "pass")
        link.onLost = () => server.kill()
        await answered()
        expect(server.isRunning).toBe(false)
        await answered()
        workMs = 0
      })
    }
  }

  test("Redis dies in the middle of calls, and comes back with what it was told.", async () => {
    await restored()
    await answered()
    let writes = 0
    links[1]!.decide = () => {
      if (++writes === 2) void redis.kill()
      return "pass"
    }
    const calls = [ledger.call(sessionId), ledger.call(sessionId), ledger.call(sessionId)]
    await until(() => writes >= 2)
    await redis.kill()
    await redis.start()
    const ends = await Promise.all(calls.map(async (call) => ({ call, end: await call.end })))
    ledger.check(ends)
    expect(ends.map(({ end }) => end)).toEqual(calls.map(({ input }) => expect.objectContaining({ type: "settled", text: String(input * 2) })))
    await answered()
  })

  test("A process that stood still until its client was given up writes nothing of before: the call ends once, by what others did meanwhile.", async () => {
    await restored()
    const { id, token } = (await (await fetch(`${agentSide.url}/v1/sessions`, { method: "POST", headers: { authorization: `Bearer ${API_KEY}` } })).json()) as { id: string; token: string }
    const at = ({ port }: ServerProcess) => createPage({ fetch, baseUrl: `http://127.0.0.1:${port}`, sessionId: id, token })
    const page = at(pages)
    const { body: client } = await page.register({ lifetime: { type: "ttl", data: { seconds: 2 } } })
    const events = await at(agents).stream()
    const outcome = fetch(`http://127.0.0.1:${agents.port}/v1/sessions/${id}/tool-calls?wait=30`, {
      method: "POST",
      headers: { "authorization": `Bearer ${API_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ tool: "client__web__add" }),
    })
    const call = await events.nextOf("tool_call.dispatched")
    pages.freeze()
    // Lies in its socket until it goes on.
    const late = page.answer(client.id, call.call_id, { text: "late" })
    const settled = (await (await outcome).json()) as { text: string; is_error: boolean }
    expect(settled).toMatchObject({ is_error: true, text: expect.stringContaining("no sign of life") })
    pages.thaw()
    expect([404, 409]).toContain((await late).status)
    const again = await fetch(`http://127.0.0.1:${pages.port}/v1/sessions/${id}/tool-calls/${call.call_id}?wait=1`, { headers: { authorization: `Bearer ${API_KEY}` } })
    expect(await again.json()).toMatchObject(settled)
    await events.cancel()
  })

  test("Redis stands still for a while, and nobody notices more than the wait.", async () => {
    await restored()
    await answered()
    redis.freeze()
    const call = ledger.call(sessionId)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    redis.thaw()
    const end = await call.end
    ledger.check([{ call, end }])
    expect(end).toMatchObject({ type: "settled", is_error: false })
  })
})

describeWithRedis("A Redis that keeps nothing", () => {
  test("Who waits when it dies is told, pages come back by themselves, and calls are answered again.", async () => {
    const redis = await startRedis({ keeps: "nothing" })
    const servers = await Promise.all([startServer(redis.url), startServer(redis.url)])
    const [agentPort, pagePort] = servers.map(({ port }) => port) as [number, number]
    const agentSide = await createBalancer([agentPort, pagePort])
    const pageSide = await createBalancer([pagePort, agentPort])
    const ledger = createLedger({ pageUrl: pageSide.url, agentUrl: agentSide.url })
    const sessionId = await ledger.createSession()
    await ledger.openPage(sessionId, { workMs: () => 300 })
    const call = ledger.call(sessionId)
    await until(() => ledger.executed.size === 1)
    await redis.kill()
    await redis.start()
    const end = await call.end
    // With the same key after the loss it is a new call: it may have been made anew, or been refused while the page was not back.
    ledger.check([{ call, end }])
    await until(async () => {
      const next = await ledger.call(sessionId).end
      return next.type === "settled" && !next.is_error
    })
    await ledger.close()
  })
})
