import { expect, test } from "vitest"
import type { ErrorBody } from "../../src/wire/messages.ts"
import { API_KEY, createHarness } from "./support/createHarness.ts"
import { createPage } from "./support/createPage.ts"

const refusal = ({ status, body, headers }: { status: number; body: unknown; headers: Headers }) => [
  status,
  (body as ErrorBody | undefined)?.error.code,
  headers.get("retry-after"),
]
const CLOSED = [503, "server_closed", "1"]

test("A server that stops ends the streams of a session once its calls are settled, and answers new streams, sessions and calls with 503 and `Retry-After`.", async () => {
  const { server, sessionId, page, agent, serving, dispatched, settle } = await createHarness()
  const other = await server.createSession()
  const quiet = await createPage({ fetch: server.fetch, sessionId: other.id, token: other.token }).stream()
  const { events, id } = await serving()
  const { outcome, call } = await dispatched(events)

  const drained = server.drain()
  expect(server.status).toBe("draining")
  expect(await quiet.ended).toBeUndefined()
  expect(refusal(await page.send("GET", "/events"))).toEqual(CLOSED)
  expect(refusal(await agent.send("POST", "/tool-calls", { tool: "client__web__add" }))).toEqual(CLOSED)
  const create = await server.fetch(new Request("http://server.test/v1/sessions", { method: "POST", headers: { authorization: `Bearer ${API_KEY}` } }))
  expect([create.status, create.headers.get("retry-after")]).toEqual([503, "1"])
  await expect(server.createSession()).rejects.toMatchObject({ code: "server_closed" })
  await expect(server.callTool("s", "x")).rejects.toMatchObject({ code: "server_closed" })

  // What is under way goes on: the stream, the ack, the answer.
  await server.setRunning(sessionId, true)
  expect(await events.nextOf("session.running")).toEqual({ running: true })
  expect((await page.ack(id, call.call_id)).status).toBe(204)
  await settle()
  expect(server.status).toBe("draining")
  expect((await page.answer(id, call.call_id, { text: "in time" })).status).toBe(204)
  expect((await outcome).text).toBe("in time")
  await drained
  expect(await events.ended).toBeUndefined()
  expect(server.status).toBe("closed")
  expect(refusal(await page.ping(id))).toEqual(CLOSED)
})

test("A server that stops waits no longer than its grace, and then closes with what is left.", async () => {
  const { server, serving, dispatched, clock, settle } = await createHarness()
  const { events } = await serving()
  const { outcome } = await dispatched(events)
  const drained = server.drain({ graceMs: 5_000 })
  await clock.advance(4_999)
  expect(server.status).toBe("draining")
  await clock.advance(1)
  await drained
  await settle()
  await expect(outcome).rejects.toMatchObject({ code: "server_closed" })
  expect(await events.ended).toBeUndefined()
  expect(clock.pending).toBe(0)
})

test("A server that stops while an agent waits for a call over HTTP answers it first.", async () => {
  const { server, agent, page, serving } = await createHarness()
  const { events, id } = await serving()
  const answered = agent.send("POST", "/tool-calls?wait=60", { tool: "client__web__add" })
  const call = await events.nextOf("tool_call.dispatched")
  // The page's stream is gone, so only the agent is there to wait for.
  await events.cancel()
  const drained = server.drain()
  await page.answer(id, call.call_id)
  expect(await answered).toMatchObject({ status: 200, body: { text: "done" } })
  await drained
})

test("A server that is stopped twice, or stopped and closed, does it once.", async () => {
  const told: string[] = []
  const { server } = await createHarness({ observers: [({ type }) => told.push(type)] })
  await Promise.all([server.drain(), server.drain()])
  await server.close()
  expect(told.filter((type) => type.startsWith("server."))).toEqual(["server.draining", "server.closed"])
})
