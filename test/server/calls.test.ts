import { expect, test } from "vitest"
import { createCallIds } from "../../src/server/callIds.ts"
import type { ErrorBody, ToolSpec } from "../../src/wire/messages.ts"
import { aTool } from "./support/createPage.ts"
import { API_KEY, createHarness } from "./support/createHarness.ts"
import type { Answered } from "./support/createPage.ts"

interface Outcome {
  readonly call_id: string
  readonly text: string
  readonly is_error: boolean
}

const codeOf = ({ status, body }: Answered): [number, string] => [status, (body as ErrorBody).error.code]
const withKey = (key: string) => ({ token: API_KEY, headers: { "idempotency-key": key } })
const add = (args: unknown = {}) => ({ tool: "client__web__add", arguments: args })

test("An ack may name several calls, and those that are unknown, settled or another's are passed over.", async () => {
  const { clock, page, serving, dispatched } = await createHarness()
  const { events, id } = await serving({ lifetime: { type: "never" } })
  const { body: other } = await page.register({ instance_id: "tab-2", lifetime: { type: "never" } })
  const [first, second, settled, foreign] = [await dispatched(events), await dispatched(events), await dispatched(events), await dispatched(events, "client__web_2__add")]
  await page.answer(id, settled.call.call_id)
  const ids = [first, second, settled, foreign].map(({ call }) => call.call_id)
  expect((await page.ack(id, ...ids, "unknown")).status).toBe(204)
  await clock.advance(10_000)
  // Only the foreign one is still unacked.
  expect((await events.nextOf("tool_call.dispatched")).client_id).toBe(other.id)
  expect(events.waiting.some(({ type }) => type === "tool_call.dispatched")).toBe(false)
})

test("An answer to a pending call settles it, also when it was never acked.", async () => {
  const { page, serving, dispatched } = await createHarness()
  const { events, id } = await serving()
  const { outcome, call } = await dispatched(events)
  expect((await page.answer(id, call.call_id, { text: "no such thing", is_error: true })).status).toBe(204)
  expect(await outcome).toEqual({ call_id: call.call_id, text: "no such thing", is_error: true })
  expect(await events.nextOf("tool_call.settled")).toEqual({ call_id: call.call_id, client_id: id, is_error: true, reason: "answered" })
})

test("The same answer again is answered 204.", async () => {
  const { page, serving, dispatched, settle } = await createHarness()
  const { events, id } = await serving()
  const { call } = await dispatched(events)
  await page.answer(id, call.call_id)
  expect((await page.answer(id, call.call_id)).status).toBe(204)
  await settle()
  expect(events.waiting.filter(({ type }) => type === "tool_call.settled")).toHaveLength(1)
})

test("Another answer to a settled call is answered 409 `call_settled` and changes nothing.", async () => {
  const { page, serving, dispatched, agent } = await createHarness()
  const { events, id } = await serving()
  const { outcome, call } = await dispatched(events)
  await page.answer(id, call.call_id)
  expect(codeOf(await page.answer(id, call.call_id, { text: "other" }))).toEqual([409, "call_settled"])
  expect(codeOf(await page.answer(id, call.call_id, { is_error: true }))).toEqual([409, "call_settled"])
  expect((await agent.send("GET", `/tool-calls/${call.call_id}`)).body).toEqual(await outcome)
})

test("An answer to another client's call is answered 403 `not_your_call`.", async () => {
  const { page, serving, dispatched } = await createHarness()
  const { events, id } = await serving()
  const { body: other } = await page.register({ instance_id: "tab-2" })
  const { outcome, call } = await dispatched(events)
  expect(codeOf(await page.answer(other.id, call.call_id, { text: "forged" }))).toEqual([403, "not_your_call"])
  await page.answer(id, call.call_id)
  expect((await outcome).text).toBe("done")
  expect(codeOf(await page.answer(other.id, call.call_id))).toEqual([403, "not_your_call"])
})

test("An answer to a call that the server does not know (any more) is answered 404 `tool_call_not_found`.", async () => {
  const { page } = await createHarness()
  const { body: client } = await page.register()
  expect(codeOf(await page.answer(client.id, "unknown"))).toEqual([404, "tool_call_not_found"])
})

test("A session is created with a first token, and more tokens can be had for it.", async () => {
  const { server, agent, sessionId, pageOf, clock } = await createHarness()
  const created = await server.fetch(new Request("http://server.test/v1/sessions", { method: "POST", headers: { authorization: `Bearer ${API_KEY}` } }))
  const body = (await created.json()) as { id: string; token: string; expires_at: string }
  expect([created.status, body.expires_at]).toEqual([201, new Date(clock.now() + 3_600_000).toISOString()])
  expect((await pageOf({ sessionId: body.id, token: body.token }).register()).status).toBe(201)

  const more = await agent.send<{ token: string; expires_at: string }>("POST", "/tokens")
  expect([more.status, more.body]).toEqual([201, { token_id: expect.any(String), token: expect.any(String), expires_at: body.expires_at }])
  expect((await pageOf({ sessionId, token: more.body.token }).register()).status).toBe(201)
})

test("A session can be created under an id of the agent's own, more than once.", async () => {
  const { server, pageOf } = await createHarness()
  const { id, token } = await server.createSession({ id: "chat-42" })
  expect(id).toBe("chat-42")
  expect((await pageOf({ sessionId: id, token }).register()).status).toBe(201)
  const again = await pageOf({ sessionId: id, token: API_KEY }).send<{ id: string; token: string }>("PUT", "")
  expect([again.status, again.body.id]).toEqual([201, "chat-42"])
  expect(await server.tools(id)).toHaveLength(1)
  expect((await pageOf({ sessionId: id, token: again.body.token }).register({ instance_id: "tab-2" })).status).toBe(201)
  for (const bad of ["", "a b", "x".repeat(129)]) await expect(server.createSession({ id: bad })).rejects.toMatchObject({ code: "invalid_request" })
})

test("A token for a session that the server does not know creates the session under that id, if it is made of letters, digits, `_` and `-`.", async () => {
  const { server, pageOf } = await createHarness()
  const { token } = await server.createToken("chat-42")
  expect(await server.tools("chat-42")).toEqual([])
  expect((await pageOf({ sessionId: "chat-42", token }).register()).status).toBe(201)
  for (const id of ["", "a b", "a/b", "../x", "x".repeat(129)]) {
    await expect(server.createToken(id)).rejects.toMatchObject({ status: 400, code: "invalid_request" })
  }
})

test("The list of tools holds `name`, `description` and `parameters` of each, and `title`, `annotations` and `output` where they were given.", async () => {
  const { page, agent, server, sessionId } = await createHarness()
  const full: ToolSpec = {
    name: "full",
    description: "All of it.",
    parameters: { type: "object", properties: { a: { type: "number" } } },
    title: "Full",
    annotations: { readOnlyHint: true, openWorldHint: false },
    output: { type: "string" },
  }
  await page.register({ tools: [aTool("bare"), full] })
  const expected = [{ ...aTool("bare"), name: "client__web__bare" }, { ...full, name: "client__web__full" }]
  const { status, body } = await agent.send("GET", "/tools")
  expect([status, body]).toEqual([200, expected])
  expect(await server.tools(sessionId)).toEqual(expected)
})

test("Every other request of an agent for a session that is not there is answered 404 `session_not_found`.", async () => {
  const { server, pageOf } = await createHarness()
  const agent = pageOf({ sessionId: "gone", token: API_KEY })
  const answers = [
    await agent.send("GET", "/tools"),
    await agent.send("POST", "/tool-calls", add()),
    await agent.send("GET", "/tool-calls/x"),
    await agent.send("POST", "/tool-calls/x/cancel"),
  ]
  for (const answer of answers) expect(codeOf(answer)).toEqual([404, "session_not_found"])
  await expect(server.callTool("gone", "client__web__add")).rejects.toMatchObject({ code: "session_not_found" })
  await expect(server.setRunning("gone", true)).rejects.toMatchObject({ code: "session_not_found" })
})

test("A call is answered 200 with its outcome, or 202 with its id when `wait` passes first.", async () => {
  const { clock, page, agent, serving } = await createHarness()
  const { events, id } = await serving({ lifetime: { type: "never" } })
  const answered = agent.send<Outcome>("POST", "/tool-calls?wait=5", add({ a: 1 }))
  const first = await events.nextOf("tool_call.dispatched")
  await page.answer(id, first.call_id)
  expect(await answered).toMatchObject({ status: 200, body: { call_id: first.call_id, text: "done", is_error: false } })

  for (const [wait, ms] of [["?wait=5", 5_000], ["", 30_000], ["?wait=0.5", 500]] as const) {
    const late = agent.send<Outcome>("POST", `/tool-calls${wait}`, add())
    const { call_id } = await events.nextOf("tool_call.dispatched")
    await page.ack(id, call_id)
    let isOver = false
    void late.then(() => (isOver = true))
    await clock.advance(ms - 1)
    expect(isOver).toBe(false)
    await clock.advance(1)
    expect(await late).toMatchObject({ status: 202, body: { call_id } })
  }
  expect((await agent.send("POST", "/tool-calls?wait=0", add())).status).toBe(202)
  for (const wait of ["-1", "x", ""]) expect(codeOf(await agent.send("POST", `/tool-calls?wait=${wait}`, add()))).toEqual([400, "invalid_request"])
})

test("A call can be joined again by its id, also after it was settled.", async () => {
  const { page, agent, serving } = await createHarness()
  const { events, id } = await serving()
  const { body } = await agent.send<Outcome>("POST", "/tool-calls?wait=0", add())
  const joined = agent.send("GET", `/tool-calls/${body.call_id}?wait=60`)
  expect(await agent.send("GET", `/tool-calls/${body.call_id}?wait=0`)).toMatchObject({ status: 202, body })
  await events.nextOf("tool_call.dispatched")
  await page.answer(id, body.call_id)
  const outcome = { status: 200, body: { call_id: body.call_id, text: "done", is_error: false } }
  expect(await joined).toMatchObject(outcome)
  expect(await agent.send("GET", `/tool-calls/${body.call_id}?wait=0`)).toMatchObject(outcome)
  expect(codeOf(await agent.send("GET", "/tool-calls/unknown"))).toEqual([404, "tool_call_not_found"])
})

test("A call of a tool that is not offered is answered 404 `tool_not_found`, and the message lists those that are.", async () => {
  const { page, agent, server, sessionId } = await createHarness()
  const none = await agent.send("POST", "/tool-calls", add())
  expect(codeOf(none)).toEqual([404, "tool_not_found"])
  expect(none.body.error.message).toContain("is a page open?")
  await page.register({ tools: [aTool("sub"), aTool("mul")] })
  const other = await agent.send("POST", "/tool-calls", add())
  expect(other.body.error.message).toContain("Offered now: client__web__sub, client__web__mul.")
  await expect(server.callTool(sessionId, "constructor")).rejects.toMatchObject({ status: 404, code: "tool_not_found" })
})

test("The same `Idempotency-Key` with the same body is the same call, and with another body it is refused with 422.", async () => {
  const { page, serving, pageOf, agent } = await createHarness()
  const { events, id } = await serving()
  const agentWithKey = pageOf(withKey("one"))
  const first = await agentWithKey.send<Outcome>("POST", "/tool-calls?wait=0", add({ a: 1 }))
  const again = await agentWithKey.send<Outcome>("POST", "/tool-calls?wait=0", add({ a: 1 }))
  expect([first.status, again.status, again.body]).toEqual([202, 202, first.body])
  expect(codeOf(await agentWithKey.send("POST", "/tool-calls?wait=0", add({ a: 2 })))).toEqual([422, "idempotency_key_reused"])
  const other = await pageOf(withKey("two")).send<Outcome>("POST", "/tool-calls?wait=0", add({ a: 1 }))
  expect(other.body.call_id).not.toBe(first.body.call_id)
  await events.nextOf("tool_call.dispatched")
  await page.answer(id, first.body.call_id)
  await page.remove(id)
  // Also when the tool is offered no more.
  expect(await agentWithKey.send("POST", "/tool-calls", add({ a: 1 }))).toMatchObject({ status: 200, body: { text: "done" } })
  expect(codeOf(await pageOf(withKey("x".repeat(256))).send("POST", "/tool-calls", add()))).toEqual([400, "invalid_request"])
  expect(codeOf(await agent.send("POST", "/tool-calls", add()))).toEqual([404, "tool_not_found"])
})

test("A repeat of a request with an `Idempotency-Key` has the same call id also at a server with the same secret that knows nothing of the call any more.", async () => {
  const ids = createCallIds(["a secret of thirty-two bytes, at least", "another"])
  const id = await ids("session", { key: "one", fingerprint: "f" })
  expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(await createCallIds(["a secret of thirty-two bytes, at least"])("session", { key: "one", fingerprint: "f" })).toBe(id)
  const others = [
    ids("session", { key: "two", fingerprint: "f" }),
    ids("session", { key: "one", fingerprint: "g" }),
    ids("session2", { key: "one", fingerprint: "f" }),
    createCallIds(["another"])("session", { key: "one", fingerprint: "f" }),
    createCallIds([])("session", { key: "one", fingerprint: "f" }),
    createCallIds([])("session", { key: "one", fingerprint: "f" }),
  ]
  expect(new Set([id, ...(await Promise.all(others))]).size).toBe(7)

  const made = async (): Promise<string> => {
    const { serving, pageOf } = await createHarness()
    await serving()
    return (await pageOf(withKey("one")).send<Outcome>("POST", "/tool-calls?wait=0", add({ a: 1 }))).body.call_id
  }
  // Of two sessions.
  expect(await made()).not.toBe(await made())
})

test("A call that nobody answers in five minutes is settled with an error.", async () => {
  const { clock, page, serving, dispatched } = await createHarness()
  const { events, id } = await serving({ lifetime: { type: "never" } })
  const { outcome, call } = await dispatched(events)
  expect(call.deadline_ms).toBe(300_000)
  await page.ack(id, call.call_id)
  await clock.advance(299_999)
  expect(events.waiting.some(({ type }) => type === "tool_call.settled")).toBe(false)
  await clock.advance(1)
  expect(await outcome).toMatchObject({ is_error: true, text: expect.stringMatching(/within 5 minutes.*may have run/s) })
  expect((await events.nextOf("tool_call.settled")).reason).toBe("deadline")
  expect(codeOf(await page.answer(id, call.call_id))).toEqual([409, "call_settled"])
})

test("A cancelled call is settled with an error, its page is told, and an answer that comes later is too late.", async () => {
  const { page, serving, dispatched, agent } = await createHarness()
  const { events, id } = await serving()
  const { outcome, call } = await dispatched(events)
  const cancelled = await agent.send<Outcome>("POST", `/tool-calls/${call.call_id}/cancel`)
  expect(cancelled).toMatchObject({ status: 200, body: { is_error: true, text: expect.stringContaining("cancelled") } })
  expect(await outcome).toEqual(cancelled.body)
  expect(await events.nextOf("tool_call.cancelled")).toEqual({ call_id: call.call_id, reason: "cancelled" })
  expect((await events.nextOf("tool_call.settled")).reason).toBe("cancelled")
  expect(codeOf(await page.answer(id, call.call_id))).toEqual([409, "call_settled"])
})

test("Cancelling a call that is settled already gives its outcome.", async () => {
  const { page, serving, dispatched, agent, settle } = await createHarness()
  const { events, id } = await serving()
  const { call } = await dispatched(events)
  await page.answer(id, call.call_id)
  expect((await agent.send("POST", `/tool-calls/${call.call_id}/cancel`)).body).toEqual({ call_id: call.call_id, text: "done", is_error: false })
  await settle()
  expect(events.waiting.some(({ type }) => type === "tool_call.cancelled")).toBe(false)
  expect(codeOf(await agent.send("POST", "/tool-calls/unknown/cancel"))).toEqual([404, "tool_call_not_found"])
})

test("An agent in process cancels by its signal, and hears what became of the call.", async () => {
  const { server, sessionId, serving, settle } = await createHarness()
  const { events } = await serving()
  const controller = new AbortController()
  const outcome = server.callTool(sessionId, "client__web__add", {}, { signal: controller.signal })
  const call = await events.nextOf("tool_call.dispatched")
  controller.abort()
  expect(await outcome).toMatchObject({ call_id: call.call_id, is_error: true, text: expect.stringContaining("cancelled") })
  expect((await events.nextOf("tool_call.cancelled")).call_id).toBe(call.call_id)
  // One that is aborted from the start is no call at all.
  await expect(server.callTool(sessionId, "client__web__add", {}, { signal: controller.signal })).rejects.toBe(controller.signal.reason)
  await settle()
  expect(events.waiting.some(({ type }) => type === "tool_call.dispatched")).toBe(false)
})

test("Settled calls are remembered up to a limit, the newest ones.", async () => {
  const { page, agent, serving, dispatched } = await createHarness({ limits: { maxSettledCalls: 3, maxSettledText: 1000 } })
  const { events, id } = await serving()
  const ids: string[] = []
  const settleOne = async (text: string): Promise<void> => {
    const { call } = await dispatched(events)
    ids.push(call.call_id)
    await page.answer(id, call.call_id, { text })
  }
  const { call: pending } = await dispatched(events)
  const known = async () => {
    const answers = await Promise.all(ids.map((call) => agent.send("GET", `/tool-calls/${call}?wait=0`)))
    return answers.map(({ status }) => status)
  }
  for (const text of ["1", "2", "3", "4"]) await settleOne(text)
  expect(await known()).toEqual([404, 200, 200, 200])
  await settleOne("5".repeat(999))
  expect(await known()).toEqual([404, 404, 404, 200, 200])
  // A single text above the limit can still be read.
  await settleOne("6".repeat(2000))
  expect(await known()).toEqual([404, 404, 404, 404, 404, 200])
  expect((await agent.send("GET", `/tool-calls/${pending.call_id}?wait=0`)).status).toBe(202)
})

test("A session that is full of clients, calls or streams answers 429 with `Retry-After`.", async () => {
  const { page, agent, serving } = await createHarness({ limits: { maxToolClients: 2, maxPendingCalls: 1, maxStreams: 1 } })
  const { events } = await serving()
  await page.register({ instance_id: "tab-2" })
  const calls = [await agent.send("POST", "/tool-calls?wait=0", add()), await agent.send("POST", "/tool-calls?wait=0", add())]
  expect(calls[0]?.status).toBe(202)
  const full = [await page.register({ instance_id: "tab-3" }), calls[1]!, await page.send("GET", "/events")]
  expect(full.map(codeOf)).toEqual([[429, "too_many_tool_clients"], [429, "too_many_calls"], [429, "too_many_streams"]])
  for (const { headers } of full) expect(headers.get("retry-after")).toBe("5")
  // Whoever is there already may come back.
  expect((await page.register({ load_id: "load-2" })).status).toBe(201)
  await events.cancel()
  await page.stream()
})

test("Arguments are what the agent gave when it called, and must be something that JSON can say.", async () => {
  const { server, sessionId, serving } = await createHarness()
  const { events } = await serving()
  const args = { list: [1] }
  void server.callTool(sessionId, "client__web__add", args)
  args.list.push(2)
  expect((await events.nextOf("tool_call.dispatched")).arguments).toEqual({ list: [1] })
  void server.callTool(sessionId, "client__web__add")
  expect((await events.nextOf("tool_call.dispatched")).arguments).toEqual({})
  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  for (const bad of [cycle, { big: 1n }]) {
    await expect(server.callTool(sessionId, "client__web__add", bad)).rejects.toMatchObject({ code: "invalid_request" })
  }
})

test("A closed server rejects who waits, answers 503 and leaves no timer behind.", async () => {
  const { server, clock, agent, serving, dispatched, sessionId } = await createHarness()
  const { events } = await serving()
  const { outcome } = await dispatched(events)
  const waiting = agent.send("POST", "/tool-calls", add())
  await events.nextOf("tool_call.dispatched")
  await server.close()
  await server.close()
  await expect(outcome).rejects.toMatchObject({ code: "server_closed", message: expect.stringContaining("may have run") as string })
  expect(codeOf(await waiting)).toEqual([503, "server_closed"])
  expect(codeOf(await agent.send("GET", "/tools"))).toEqual([503, "server_closed"])
  await expect(server.tools(sessionId)).rejects.toMatchObject({ code: "server_closed" })
  expect(await events.ended).toBeUndefined()
  expect(clock.pending).toBe(0)
})
