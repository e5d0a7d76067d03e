// The numbered examples of docs/PROTOCOL.md, each under its title.
import { expect, test } from "vitest"
import { createSessionServer } from "../../src/server/index.ts"
import { createHarness, SECRET } from "./support/createHarness.ts"
import { aTool, createPage } from "./support/createPage.ts"

test("1. A call is answered", async () => {
  const { page, agent, serving } = await createHarness()
  const { events, id } = await serving()
  const answered = agent.send("POST", "/tool-calls", { tool: "client__web__add", arguments: { a: 1, b: 2 } })
  const call = await events.nextOf("tool_call.dispatched")
  expect(call).toEqual({ call_id: call.call_id, client_id: id, tool: "add", arguments: { a: 1, b: 2 }, deadline_ms: 300_000 })
  expect((await page.ack(id, call.call_id)).status).toBe(204)
  expect((await page.answer(id, call.call_id, { text: "3" })).status).toBe(204)
  expect(await answered).toMatchObject({ status: 200, body: { call_id: call.call_id, text: "3", is_error: false } })
  expect(await events.nextOf("tool_call.settled")).toMatchObject({ call_id: call.call_id, reason: "answered" })
})

test("2. The answer to a registration is lost", async () => {
  const { page, toolNames } = await createHarness()
  const [lost, retry] = await Promise.all([page.register(), page.register()])
  expect(retry.body).toEqual(lost.body)
  expect(await toolNames()).toEqual(["client__web__add"])
})

test("3. An answer after a reconnect", async () => {
  const { page, serving, server, sessionId } = await createHarness()
  const { events, id } = await serving()
  const outcome = server.callTool(sessionId, "client__web__add")
  const call = await events.next()
  if (call.type !== "tool_call.dispatched") throw new Error(call.type)
  await page.ack(id, call.data.call_id)
  await events.cancel()
  const resumed = await page.stream(call.id)
  expect((await resumed.next()).type).toBe("session.running")
  expect((await resumed.next()).data).toEqual(call.data)
  expect((await page.answer(id, call.data.call_id)).status).toBe(204)
  expect((await outcome).text).toBe("done")
})

test("4. A reload in the middle of calls", async () => {
  const { page, serving, dispatched, toolNames } = await createHarness()
  const { events, id } = await serving()
  const first = await dispatched(events)
  await page.ack(id, first.call.call_id)
  const second = await dispatched(events)
  await page.ping(id, { leaving: true })
  expect(await toolNames()).toEqual([])
  await events.cancel()
  const after = await page.stream()
  const { body: successor } = await page.register({ load_id: "load-2" })
  expect(successor.name).toBe("web")
  expect(await first.outcome).toMatchObject({ is_error: true, text: expect.stringMatching(/went away.*may have run/s) })
  await after.nextOf("tool_client.registered")
  expect(await after.nextOf("tool_call.dispatched")).toMatchObject({ call_id: second.call.call_id, client_id: successor.id })
  expect((await page.answer(successor.id, second.call.call_id)).status).toBe(204)
  expect((await second.outcome).is_error).toBe(false)
})

test("5. DELETE beside an answer", async () => {
  for (const isDeleteFirst of [true, false]) {
    const { page, serving, dispatched, settle } = await createHarness()
    const { events, id } = await serving()
    const { outcome, call } = await dispatched(events)
    const remove = () => page.remove(id)
    const answer = () => page.answer(id, call.call_id)
    const statuses = isDeleteFirst ? [(await remove()).status, (await answer()).status] : [(await answer()).status, (await remove()).status]
    expect(statuses).toEqual([204, isDeleteFirst ? 404 : 204])
    expect((await outcome).is_error).toBe(isDeleteFirst)
    await settle()
    expect(events.waiting.filter(({ type }) => type === "tool_call.settled")).toHaveLength(1)
  }
})

test("6. An update beside a dispatch", async () => {
  const { page, serving, server, sessionId } = await createHarness()
  const { events, id } = await serving()
  const outcome = server.callTool(sessionId, "client__web__add")
  expect((await page.update(id, 1, [aTool("sub")])).status).toBe(204)
  const call = await events.nextOf("tool_call.dispatched")
  expect(call.tool).toBe("add")
  const answer = { text: "add is not offered any more", is_error: true }
  expect((await page.answer(id, call.call_id, answer)).status).toBe(204)
  expect(await outcome).toEqual({ call_id: call.call_id, ...answer })
})

test("7. A dispatch arrives twice", async () => {
  const { page, serving, dispatched, clock } = await createHarness()
  const { events, id } = await serving()
  const { call } = await dispatched(events)
  await clock.advance(10_000)
  expect((await events.nextOf("tool_call.dispatched")).call_id).toBe(call.call_id)
  const statuses = [await page.ack(id, call.call_id), await page.ack(id, call.call_id), await page.answer(id, call.call_id), await page.answer(id, call.call_id)]
  expect(statuses.map(({ status }) => status)).toEqual([204, 204, 204, 204])
})

test("8. A client expires while its page sleeps", async () => {
  const { page, serving, dispatched, clock } = await createHarness()
  const { events, id } = await serving()
  const { outcome, call } = await dispatched(events)
  await page.ack(id, call.call_id)
  await clock.advance(60_000)
  expect(await outcome).toMatchObject({ is_error: true, text: expect.stringMatching(/no sign of life.*may have run/s) })
  expect((await page.ping(id)).body.error.code).toBe("tool_client_not_found")
  const { body: again } = await page.register()
  expect(again.name).toBe("web")
  const late = await page.answer(again.id, call.call_id)
  expect([late.status, late.body.error.code]).toEqual([409, "call_settled"])
})

test("9. The server restarts without its memory", async () => {
  const before = await createHarness()
  const { events, id } = await before.serving()
  const { call } = await before.dispatched(events)
  await before.server.close()
  const server = createSessionServer({ secret: SECRET, clock: before.clock })
  const page = createPage({ fetch: server.fetch, sessionId: before.sessionId, token: before.token })
  const resumed = await page.stream("an id of the old life")
  expect([(await resumed.next()).type, (await resumed.next()).type]).toEqual(["resync", "session.running"])
  expect((await page.ping(id)).status).toBe(404)
  const { status, body: again } = await page.register()
  expect(status).toBe(201)
  expect((await page.answer(again.id, call.call_id)).body.error.code).toBe("tool_call_not_found")
})

test("10. Cancelling beside an answer", async () => {
  for (const isCancelFirst of [true, false]) {
    const { page, agent, serving, dispatched, settle } = await createHarness()
    const { events, id } = await serving()
    const { outcome, call } = await dispatched(events)
    const cancel = () => agent.send<{ is_error: boolean }>("POST", `/tool-calls/${call.call_id}/cancel`)
    const answer = () => page.answer(id, call.call_id)
    if (isCancelFirst) {
      expect((await cancel()).body.is_error).toBe(true)
      expect((await answer()).status).toBe(409)
    } else {
      expect((await answer()).status).toBe(204)
      expect((await cancel()).body.is_error).toBe(false)
    }
    expect((await outcome).is_error).toBe(isCancelFirst)
    await settle()
    const names = events.waiting.map(({ type }) => type)
    expect(names).toEqual(isCancelFirst ? ["tool_call.cancelled", "tool_call.settled"] : ["tool_call.settled"])
  }
})
