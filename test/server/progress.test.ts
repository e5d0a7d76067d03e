import { expect, test } from "vitest"
import { connectSessionServer } from "../../src/server/index.ts"
import { API_KEY, createHarness } from "./support/createHarness.ts"

const report = (call_id: string, done: number, more: object = {}) => ({ call_ids: [call_id], progress: [{ call_id, done, ...more }] })

test("A report of progress is told to the session's streams as `tool_call.progressed`, and to the agents that wait for the call.", async () => {
  const { server, sessionId, page, serving, settle } = await createHarness()
  const { events, id } = await serving()
  const heard: unknown[] = []
  const outcome = server.callTool(sessionId, "client__web__add", {}, { onProgress: (progress) => heard.push(progress) })
  const { call_id } = await events.nextOf("tool_call.dispatched")
  expect((await page.send("POST", `/tool-clients/${id}/acks`, report(call_id, 1, { total: 3, message: "Looking." }))).status).toBe(204)
  expect(await events.nextOf("tool_call.progressed")).toEqual({ call_id, client_id: id, done: 1, total: 3, message: "Looking." })
  await settle()
  await page.send("POST", `/tool-clients/${id}/acks`, report(call_id, 2))
  await settle()
  expect(heard).toEqual([{ done: 1, total: 3, message: "Looking." }, { done: 2 }])
  await page.answer(id, call_id)
  expect(await outcome).toMatchObject({ text: "done" })
})

test("A report of a call that is unknown, settled or another's is passed over.", async () => {
  const { page, serving, dispatched, settle } = await createHarness()
  const { events, id } = await serving()
  const { outcome, call } = await dispatched(events)
  const { body: other } = await page.register({ instance_id: "tab-2" })
  for (const client of [id, other.id]) expect((await page.send("POST", `/tool-clients/${client}/acks`, report("unknown", 1))).status).toBe(204)
  expect((await page.send("POST", `/tool-clients/${other.id}/acks`, report(call.call_id, 1))).status).toBe(204)
  await page.answer(id, call.call_id)
  await outcome
  expect((await page.send("POST", `/tool-clients/${id}/acks`, report(call.call_id, 1))).status).toBe(204)
  await settle()
  expect(events.waiting.map(({ type }) => type)).not.toContain("tool_call.progressed")
})

test("A 202 holds the newest report of progress, `{ number, done, total?, message? }`; asked with `progress=n`, it comes as soon as there is one after the n-th.", async () => {
  const { page, agent, serving, dispatched, clock, settle } = await createHarness()
  const { events, id } = await serving({ lifetime: { type: "never" } })
  const { call } = await dispatched(events)
  const path = `/tool-calls/${call.call_id}`
  const say = (done: number) => page.send("POST", `/tool-clients/${id}/acks`, report(call.call_id, done))
  expect((await agent.send("GET", `${path}?wait=0`)).body).toEqual({ call_id: call.call_id })

  const first = agent.send("GET", `${path}?wait=20&progress=0`)
  await settle()
  await say(1)
  expect(await first).toMatchObject({ status: 202, body: { call_id: call.call_id, progress: { number: 1, done: 1 } } })
  expect((await agent.send("GET", `${path}?wait=20&progress=0`)).body).toMatchObject({ progress: { number: 1 } })

  const unasked = agent.send("GET", `${path}?wait=20`)
  const second = agent.send("GET", `${path}?wait=20&progress=1`)
  await settle()
  await say(2)
  await say(3)
  expect((await second).body).toMatchObject({ progress: { number: 2, done: 2 } })
  await clock.advance(20_000)
  expect(await unasked).toMatchObject({ status: 202, body: { progress: { number: 3, done: 3 } } })
  expect((await agent.send("GET", `${path}?progress=x`)).status).toBe(400)

  const last = agent.send("GET", `${path}?wait=20&progress=3`)
  await settle()
  await page.answer(id, call.call_id)
  expect(await last).toMatchObject({ status: 200, body: { text: "done" } })
})

test("Progress without its shape is answered 400, and what a listener throws changes nothing.", async () => {
  const errors: unknown[] = []
  const { server, sessionId, page, serving, settle } = await createHarness({ logger: { warn() {}, error: (_message, error) => errors.push(error) } })
  const { events, id } = await serving()
  const outcome = server.callTool(sessionId, "client__web__add", {}, {
    onProgress: () => {
      throw new Error("mine")
    },
  })
  const { call_id } = await events.nextOf("tool_call.dispatched")
  const bad = [{ done: "1" }, { done: null }, { done: 1, message: "x".repeat(1_001) }]
  for (const more of bad) expect((await page.send("POST", `/tool-clients/${id}/acks`, { call_ids: [], progress: [{ call_id, ...more }] })).status).toBe(400)
  await page.send("POST", `/tool-clients/${id}/acks`, report(call_id, 1))
  await settle()
  expect(errors).toEqual([new Error("mine")])
  await page.answer(id, call_id)
  expect(await outcome).toMatchObject({ text: "done" })
})

test("Progress is heard across HTTP, each report once.", async () => {
  const { server, clock, sessionId, page, serving, settle } = await createHarness()
  const remote = connectSessionServer({ url: "http://server.test", apiKey: API_KEY, clock, fetch: (input, init) => server.fetch(new Request(input, init)) })
  const { events, id } = await serving({ lifetime: { type: "never" } })
  const heard: unknown[] = []
  const outcome = remote.callTool(sessionId, "client__web__add", {}, { onProgress: (progress) => heard.push(progress) })
  const { call_id } = await events.nextOf("tool_call.dispatched")
  for (const done of [1, 2]) {
    await page.send("POST", `/tool-clients/${id}/acks`, report(call_id, done, { total: 2 }))
    await settle()
  }
  await clock.advance(45_000)
  await page.answer(id, call_id)
  expect(await outcome).toMatchObject({ text: "done" })
  expect(heard).toEqual([{ done: 1, total: 2 }, { done: 2, total: 2 }])
})
