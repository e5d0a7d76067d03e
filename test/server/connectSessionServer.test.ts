import { expect, test, vi } from "vitest"
import { connectSessionServer, type ModelTool, type SessionServerConnectionOptions, type SessionServerOptions } from "../../src/server/index.ts"
import type { FakeClock } from "../../src/testing/fakeClock.ts"
import { LOOK_AGAIN_MS } from "../../src/server/connectSessionServer.ts"
import { API_KEY, createHarness } from "./support/createHarness.ts"
import { aTool } from "./support/createPage.ts"

type Send = (request: Request) => Promise<Response>

/** The server, reached over its handler; `between` may lose what goes to and fro. */
async function createRemote(between: (send: Send) => Send = (send) => send, more: Partial<SessionServerConnectionOptions> = {}, options: SessionServerOptions = {}) {
  const harness = await createHarness(options)
  const send = between(harness.server.fetch)
  const fetch: typeof globalThis.fetch = (input, init) => send(new Request(input, init))
  const remote = connectSessionServer({ url: "http://server.test/", apiKey: API_KEY, clock: harness.clock, fetch, ...more })
  return { ...harness, remote }
}

/** Lets time pass until it is settled, however many turns of the machine lie between two timers. */
async function settledAt(clock: FakeClock, promise: Promise<unknown>): Promise<void> {
  let isSettled = false
  const settle = (): void => void (isSettled = true)
  promise.then(settle, settle)
  while (!isSettled) await clock.advance(1_000)
}

const namesOf = (tools: readonly ModelTool[]): string[] => tools.map(({ name }) => name)

test("A server across HTTP creates sessions and tokens, lists tools and calls them like one in this process.", async () => {
  const { remote, server, sessionId, pageOf, serving, page } = await createRemote()
  const created = await remote.createSession()
  expect((await pageOf({ sessionId: created.id, token: created.token }).register()).status).toBe(201)
  expect((await remote.createSession({ id: "chat-42" })).id).toBe("chat-42")
  expect((await pageOf({ token: (await remote.createToken(sessionId)).token }).register({ instance_id: "tab-2" })).status).toBe(201)
  const { events, id } = await serving()
  expect(await remote.tools(sessionId)).toEqual(await server.tools(sessionId))
  const outcome = remote.callTool(sessionId, "client__web_2__add", { a: [1] })
  const call = await events.nextOf("tool_call.dispatched")
  expect(call.arguments).toEqual({ a: [1] })
  await page.answer(id, call.call_id, { text: "no", is_error: true })
  expect(await outcome).toEqual({ call_id: call.call_id, text: "no", is_error: true })
})

test("What a server across HTTP refuses rejects as it does in this process.", async () => {
  const { remote, server, sessionId, serving } = await createRemote()
  await serving()
  const inProcess = await server.callTool(sessionId, "nope").catch((error: unknown) => error)
  await expect(remote.callTool(sessionId, "nope")).rejects.toEqual(inProcess)
  await expect(remote.tools("elsewhere")).rejects.toMatchObject({ name: "SessionServerError", status: 404, code: "session_not_found" })
  await expect(remote.callTool(sessionId, "client__web__add", 1n)).rejects.toMatchObject({ code: "invalid_request" })
  const stranger = connectSessionServer({ url: "http://server.test", apiKey: "wrong", fetch: (input, init) => server.fetch(new Request(input, init)) })
  await expect(stranger.tools(sessionId)).rejects.toMatchObject({ status: 401, code: "invalid_token" })
  expect(() => connectSessionServer({ url: "server.test", apiKey: "k" })).toThrow(TypeError)
  for (const apiKey of ["", "two words", "k\n", "clé"]) expect(() => connectSessionServer({ url: "http://server.test", apiKey })).toThrow(/header takes it/)
})

test("A call across HTTP is waited for as long as it takes.", async () => {
  const { remote, clock, sessionId, serving, page } = await createRemote()
  const { events, id } = await serving({ lifetime: { type: "never" } })
  const outcome = remote.callTool(sessionId, "client__web__add")
  const { call_id } = await events.nextOf("tool_call.dispatched")
  await page.ack(id, call_id)
  await clock.advance(100_000)
  await page.answer(id, call_id, { text: "late" })
  expect(await outcome).toMatchObject({ text: "late" })
})

test("A request across HTTP whose answer is lost is sent again, and its call made once.", async () => {
  let losses = 3
  const { remote, clock, sessionId, serving, page, settle } = await createRemote((send) => async (request) => {
    const response = await send(request)
    if (losses-- > 0) throw new TypeError("fetch failed")
    return response
  })
  const { events, id } = await serving({ lifetime: { type: "never" } })
  const outcome = remote.callTool(sessionId, "client__web__add")
  const { call_id } = await events.nextOf("tool_call.dispatched")
  await page.answer(id, call_id)
  await settledAt(clock, outcome)
  expect(await outcome).toMatchObject({ call_id, text: "done" })
  await settle()
  expect(events.waiting.filter(({ type, data }) => type === "tool_call.dispatched" && (data as { call_id: string }).call_id !== call_id)).toEqual([])
})

test("A server across HTTP that never answers rejects after some tries, and says what was asked.", async () => {
  let tries = 0
  const { remote, clock, sessionId } = await createRemote(() => () => {
    tries++
    return Promise.reject(new TypeError("fetch failed"))
  })
  const failing = expect(remote.tools(sessionId)).rejects.toMatchObject({ name: "SessionError", code: "network", message: expect.stringContaining("GET /v1/sessions/") })
  await settledAt(clock, failing)
  await failing
  expect(tries).toBe(6)
})

test("What a proxy answers in the server's place is no answer of the server's.", async () => {
  const { remote, clock, sessionId } = await createRemote(() => () => Promise.resolve(new Response("<html>Sign in</html>")))
  const failing = expect(remote.tools(sessionId)).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("proxy") })
  await settledAt(clock, failing)
  await failing
})

test("A call across HTTP is cancelled at its page, and settles as cancelled.", async () => {
  const { remote, sessionId, serving } = await createRemote()
  const { events } = await serving()
  const controller = new AbortController()
  const outcome = remote.callTool(sessionId, "client__web__add", {}, { signal: controller.signal })
  const { call_id } = await events.nextOf("tool_call.dispatched")
  controller.abort()
  expect(await events.nextOf("tool_call.cancelled")).toMatchObject({ call_id })
  expect(await outcome).toMatchObject({ call_id, is_error: true, text: expect.stringContaining("cancelled") })
  await expect(remote.callTool(sessionId, "client__web__add", {}, { signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" })
})

test("Tools are watched across HTTP, without a request a change and none while there is none.", async () => {
  let requests = 0
  const { remote, clock, sessionId, page, settle } = await createRemote((send) => (request) => {
    requests++
    return send(request)
  })
  const { body: client } = await page.register({ lifetime: { type: "never" } })
  const told: string[][] = []
  const stop = remote.watchTools(sessionId, (tools) => told.push(namesOf(tools)))
  // Digests are made beside the event loop, which on a busy machine takes more turns than `settle` gives.
  await vi.waitFor(() => expect(told).toHaveLength(1))
  await page.update(client.id, 1, [aTool("remove")])
  await vi.waitFor(() => expect(told).toHaveLength(2))
  await settle()
  expect(told).toEqual([["client__web__add"], ["client__web__remove"]])
  requests = 0
  await clock.advance(60_000)
  // One for each wait of half a minute; on a busy machine the second has not begun yet.
  expect(requests).toBeLessThanOrEqual(2)
  expect(told).toHaveLength(2)
  stop()
  const { length } = told
  const before = requests
  await page.update(client.id, 2, [])
  await clock.advance(60_000)
  expect([told.length, requests]).toEqual([length, before])
})

test("Watched across HTTP, a session that is not there offers nothing, and its tools are told when it comes.", async () => {
  const { remote, server, clock, pageOf } = await createRemote()
  const told: string[][] = []
  remote.watchTools("chat-42", (tools) => told.push(namesOf(tools)))
  await vi.waitFor(() => expect(told).toHaveLength(1))
  await clock.advance(LOOK_AGAIN_MS * 3)
  expect(told).toEqual([[]])
  const { token } = await server.createToken("chat-42")
  await pageOf({ sessionId: "chat-42", token }).register()
  while (told.length < 2) await clock.advance(LOOK_AGAIN_MS)
  expect(told).toEqual([[], ["client__web__add"]])
  remote.close()
})

test("Why watched tools cannot be read is told once, and they are told again when they can be.", async () => {
  let isDown = true
  const errors: unknown[] = []
  const { remote, clock, sessionId, page } = await createRemote(
    (send) => (request) => (isDown ? Promise.resolve(Response.json({ error: { code: "invalid_token", message: "The API key is another." } }, { status: 401 })) : send(request)),
    { onError: (error) => errors.push(error) },
  )
  await page.register({ lifetime: { type: "never" } })
  const told: string[][] = []
  remote.watchTools(sessionId, (tools) => told.push(namesOf(tools)))
  await vi.waitFor(() => expect(errors).toHaveLength(1))
  await clock.advance(120_000)
  expect(errors).toMatchObject([{ code: "invalid_token" }])
  isDown = false
  while (told.length === 0) await clock.advance(30_000)
  expect(told).toEqual([["client__web__add"]])
  remote.close()
})

test("A server that does not know how to wait is not asked without end.", async () => {
  let requests = 0
  const { remote, clock, sessionId } = await createRemote(() => () => {
    requests++
    return Promise.resolve(Response.json([]))
  })
  remote.watchTools(sessionId, () => {})
  await vi.waitFor(() => expect(requests).toBe(1))
  await clock.advance(60_000)
  expect(requests).toBeLessThanOrEqual(60_000 / LOOK_AGAIN_MS + 1)
  remote.close()
})
