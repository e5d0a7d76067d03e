import { expect, test } from "vitest"
import type { ErrorBody } from "../../src/wire/messages.ts"
import { aTool } from "./support/createPage.ts"
import { createHarness } from "./support/createHarness.ts"

test("A client with a ttl that sends nothing for so long is dropped, and its pending calls are settled with an error.", async () => {
  const { clock, serving, dispatched, toolNames } = await createHarness()
  const { events, id } = await serving()
  const { outcome } = await dispatched(events)
  await clock.advance(59_999)
  expect(await toolNames()).toEqual(["client__web__add"])
  await clock.advance(1)
  expect(await toolNames()).toEqual([])
  expect(await outcome).toMatchObject({ is_error: true, text: expect.stringContaining("no sign of life") })
  expect(await events.nextOf("tool_client.expired")).toEqual({ client_id: id, name: "web" })
  expect((await events.nextOf("tool_call.settled")).reason).toBe("client_expired")
})

test("Any accepted request of a client counts as a ping.", async () => {
  const { clock, page, serving, toolNames } = await createHarness()
  const { id } = await serving()
  const signs = [
    () => page.ping(id),
    () => page.ack(id, "unknown"),
    () => page.update(id, 1, [aTool("add")]),
    () => page.update(id, 0, [aTool("an old revision")]),
    () => page.register(),
  ]
  for (const sign of signs) {
    await clock.advance(50_000)
    await sign()
  }
  await clock.advance(50_000)
  expect(await toolNames()).toEqual(["client__web__add"])
  // A refused one does not count.
  await page.update(id, 2, [aTool("b d")])
  await clock.advance(10_000)
  expect(await toolNames()).toEqual([])
})

test("An open stream does not keep a client alive.", async () => {
  const { clock, serving, toolNames } = await createHarness()
  const { events } = await serving()
  await clock.advance(60_000)
  expect(events.waiting.filter(({ type }) => type === "keep_alive").length).toBeGreaterThan(2)
  expect(await toolNames()).toEqual([])
})

test("A client whose lifetime is `never` stays until it is deleted.", async () => {
  const { clock, page, serving, toolNames } = await createHarness({ tokenTtlSeconds: 8 * 86_400 })
  const { id, events } = await serving({ lifetime: { type: "never" } })
  await events.cancel()
  await clock.advance(7 * 86_400_000)
  expect(await toolNames()).toEqual(["client__web__add"])
  await page.remove(id)
  expect(await toolNames()).toEqual([])
})

test("Every request of an unknown tool client but DELETE is answered 404 `tool_client_not_found`.", async () => {
  const { page } = await createHarness()
  const answers = await Promise.all([page.ping("x"), page.update("x", 1, []), page.ack("x", "k"), page.answer("x", "k")])
  for (const { status, body } of answers) {
    expect([status, body.error.code]).toEqual([404, "tool_client_not_found"])
    expect(body.error.message).toContain("Register again")
  }
})

test("A client that says `leaving` is offered no more, at once.", async () => {
  const { page, serving, server, sessionId, toolNames } = await createHarness()
  const { events, id } = await serving()
  expect((await page.ping(id, { leaving: true })).status).toBe(204)
  expect(await toolNames()).toEqual([])
  await expect(server.callTool(sessionId, "client__web__add")).rejects.toMatchObject({ code: "tool_not_found" })
  expect(await events.nextOf("tool_client.updated")).toEqual({ client_id: id, name: "web" })
})

test("A client that said `leaving` and whose page does not come back in 10 seconds is gone, and its pending calls are settled: an acked one may have run, another did not.", async () => {
  const { clock, page, serving, dispatched } = await createHarness()
  const { events, id } = await serving()
  const acked = await dispatched(events)
  const unacked = await dispatched(events)
  await page.ack(id, acked.call.call_id)
  await clock.advance(5_000)
  await page.ping(id, { leaving: true })
  await clock.advance(5_000)
  // Saying it again puts nothing off.
  await page.ping(id, { leaving: true })
  await clock.advance(4_999)
  expect((await page.ack(id)).status).toBe(204)
  await clock.advance(1)
  expect(await acked.outcome).toMatchObject({ is_error: true, text: expect.stringMatching(/went away.*may have run/s) })
  expect(await unacked.outcome).toMatchObject({ is_error: true, text: expect.stringMatching(/went away.*did not run/s) })
  expect(await events.nextOf("tool_client.deleted")).toEqual({ client_id: id, name: "web" })
  expect((await events.nextOf("tool_call.settled")).reason).toBe("client_left")
  expect((await page.ping(id)).status).toBe(404)
})

test("A registration of the same instance within these 10 seconds supersedes as after any reload.", async () => {
  const { clock, page, serving, dispatched, toolNames } = await createHarness()
  const { events, id } = await serving()
  const acked = await dispatched(events)
  const unacked = await dispatched(events)
  await page.ack(id, acked.call.call_id)
  await page.ping(id, { leaving: true })
  await clock.advance(9_000)
  const { body: successor } = await page.register({ load_id: "load-2" })
  expect(successor.name).toBe("web")
  expect((await acked.outcome).text).toContain("may have run")
  await clock.advance(9_000)
  expect(await toolNames()).toEqual(["client__web__add"])
  await page.answer(successor.id, unacked.call.call_id)
  expect((await unacked.outcome).is_error).toBe(false)
})

test("A client that says `suspended` is offered no more, at once, but keeps its name, and its ttl runs on.", async () => {
  const { clock, page, serving, toolNames } = await createHarness()
  const { events, id } = await serving()
  await clock.advance(30_000)
  await page.ping(id, { suspended: true })
  expect(await toolNames()).toEqual([])
  expect((await events.nextOf("tool_client.updated")).client_id).toBe(id)
  expect((await page.register({ instance_id: "tab-2", lifetime: { type: "never" } })).body.name).toBe("web_2")
  await clock.advance(59_999)
  expect((await page.register({ instance_id: "tab-3", lifetime: { type: "never" } })).body.name).toBe("web_3")
  await clock.advance(1)
  expect((await events.nextOf("tool_client.expired")).client_id).toBe(id)
})

test("A farewell with a `revision` older than the last set that was taken is passed over: the page has come back since.", async () => {
  const { page, serving, toolNames } = await createHarness()
  const { id } = await serving()
  await page.register({ revision: 3 })
  for (const word of [{ suspended: true }, { leaving: true }]) {
    expect((await page.ping(id, { ...word, revision: 2 })).status).toBe(204)
    expect(await toolNames()).toEqual(["client__web__add"])
  }
  await page.ping(id, { suspended: true, revision: 3 })
  expect(await toolNames()).toEqual([])
})

test("The pending calls of a suspended client wait for it, until its ttl or their deadline.", async () => {
  const { clock, page, serving, dispatched, settle } = await createHarness()
  const { events, id } = await serving({ lifetime: { type: "ttl", data: { seconds: 1000 } } })
  const { outcome } = await dispatched(events)
  await page.ping(id, { suspended: true })
  await settle()
  await clock.advance(299_999)
  // Nothing is sent to a page that does not listen.
  expect(events.waiting.filter(({ type }) => type.startsWith("tool_call"))).toEqual([])
  await clock.advance(1)
  expect((await events.nextOf("tool_call.settled")).reason).toBe("deadline")
  expect((await outcome).is_error).toBe(true)

  const brief = await serving({ instance_id: "tab-2" })
  const second = await dispatched(brief.events, `client__${brief.name}__add`)
  await page.ping(brief.id, { suspended: true })
  await clock.advance(60_000)
  expect((await second.outcome).text).toContain("no sign of life")
})

test("The same instance and load that registers again after `suspended` or `leaving` is offered again under the same id, and its unacked calls are dispatched again.", async () => {
  for (const word of [{ suspended: true }, { leaving: true }]) {
    const { page, serving, dispatched, toolNames, clock } = await createHarness()
    const { events, id, name } = await serving()
    const acked = await dispatched(events)
    const unacked = await dispatched(events)
    await page.ack(id, acked.call.call_id)
    await page.ping(id, word)
    expect((await page.register()).body).toEqual({ id, name })
    expect(await toolNames()).toEqual(["client__web__add"])
    expect((await events.nextOf("tool_client.registered")).client_id).toBe(id)
    expect((await events.nextOf("tool_call.dispatched")).call_id).toBe(unacked.call.call_id)
    await clock.advance(20_000)
    expect((await page.answer(id, acked.call.call_id)).status).toBe(204)
  }
})

test("A plain ping does not bring back the tools of a client that is suspended or leaving.", async () => {
  for (const word of [{ suspended: true }, { leaving: true }]) {
    const { page, serving, toolNames, clock } = await createHarness()
    const { id } = await serving()
    await page.ping(id, word)
    expect((await page.ping(id)).status).toBe(204)
    expect((await page.update(id, 1, [aTool("sub")])).status).toBe(204)
    expect(await toolNames()).toEqual([])
    await clock.advance(10_000)
    expect((await page.ping(id)).status).toBe(word.leaving ? 404 : 204)
  }
})

test("A client that leaves or is suspended may still ack and answer.", async () => {
  for (const word of [{ suspended: true }, { leaving: true }]) {
    const { page, serving, dispatched } = await createHarness()
    const { events, id } = await serving()
    const { outcome, call } = await dispatched(events)
    await page.ping(id, word)
    expect((await page.ack(id, call.call_id)).status).toBe(204)
    expect((await page.answer(id, call.call_id)).status).toBe(204)
    expect((await outcome).text).toBe("done")
  }
})

test("A page that is suspended and then thrown away is gone after the grace.", async () => {
  const { page, serving, clock } = await createHarness()
  const { id } = await serving()
  await page.ping(id, { suspended: true })
  await page.ping(id, { leaving: true })
  await clock.advance(10_000)
  expect((await page.ping(id)).status).toBe(404)
})

test("DELETE takes a client off at once and settles its pending calls with an error.", async () => {
  const { page, serving, dispatched, toolNames } = await createHarness()
  const { events, id } = await serving()
  const { outcome, call } = await dispatched(events)
  expect((await page.remove(id)).status).toBe(204)
  expect(await toolNames()).toEqual([])
  expect(await outcome).toMatchObject({ call_id: call.call_id, is_error: true, text: expect.stringContaining("stopped offering") })
  expect(await events.nextOf("tool_client.deleted")).toEqual({ client_id: id, name: "web" })
  expect(await events.nextOf("tool_call.settled")).toEqual({ call_id: call.call_id, client_id: id, is_error: true, reason: "client_deleted" })
})

test("DELETE of a client that is gone already is answered 204.", async () => {
  const { page, serving } = await createHarness()
  const { id } = await serving()
  expect([(await page.remove(id)).status, (await page.remove(id)).status, (await page.remove("never was")).status]).toEqual([204, 204, 204])
})

test("A clock that is set back drops nobody, and one that jumps ahead drops whoever is overdue.", async () => {
  const { clock, page, serving, toolNames } = await createHarness({ tokenTtlSeconds: 86_400 })
  const { id } = await serving()
  clock.jump(-3_600_000)
  await page.ping(id)
  await clock.advance(59_000)
  expect(await toolNames()).toEqual(["client__web__add"])
  clock.jump(7_200_000)
  await clock.advance(60_000)
  expect(await toolNames()).toEqual([])
})

test("A session that nobody uses is forgotten with its last token.", async () => {
  const { clock, server, sessionId, page } = await createHarness({ tokenTtlSeconds: 100 })
  await page.register({ lifetime: { type: "ttl", data: { seconds: 200 } } })
  await clock.advance(199_999)
  expect(await server.tools(sessionId)).toHaveLength(1)
  await clock.advance(1)
  await expect(server.tools(sessionId)).rejects.toMatchObject({ code: "session_not_found" })
  expect(clock.pending).toBe(0)
  const error: ErrorBody = (await page.ping("x")).body
  expect(error.error.code).toBe("token_expired")
})

test("A session lives on with the newest of its tokens, whoever made it known.", async () => {
  const { clock, server, sessionId } = await createHarness({ tokenTtlSeconds: 100 })
  await clock.advance(50_000)
  await server.createToken(sessionId)
  await clock.advance(99_999)
  expect(await server.tools(sessionId)).toEqual([])
  await clock.advance(1)
  await expect(server.tools(sessionId)).rejects.toMatchObject({ code: "session_not_found" })
})
