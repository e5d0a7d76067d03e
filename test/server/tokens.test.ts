import { decodeProtectedHeader } from "jose"
import { expect, test, vi } from "vitest"
import { createSessionServer, type ServerEvent, SessionServerError } from "../../src/server/index.ts"
import { MAX_REVOKED_TOKENS } from "../../src/server/serverLimits.ts"
import { createFakeClock } from "../../src/testing/fakeClock.ts"
import type { ErrorBody } from "../../src/wire/messages.ts"
import { API_KEY, createHarness, SECRET } from "./support/createHarness.ts"
import { createPage } from "./support/createPage.ts"

const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as ErrorBody | undefined)?.error.code]

test("A token that any of the server's secrets has signed is good, and new ones are signed by the first.", async () => {
  const clock = createFakeClock()
  const old = `${SECRET}, the old one`
  const serverWith = (secret: string | string[]) => createSessionServer({ secret, clock, apiKey: API_KEY })
  const before = await serverWith(old).createSession()
  const rotating = serverWith([SECRET, old])
  const pageOf = (token: string, server = rotating) => createPage({ fetch: server.fetch, sessionId: before.id, token })
  expect((await pageOf(before.token).register()).status).toBe(201)
  const { token: fresh } = await rotating.createToken(before.id)
  expect((await pageOf(fresh).register()).status).toBe(201)
  expect((await pageOf(fresh, serverWith(SECRET)).register()).status).toBe(201)
  expect(codeOf(await pageOf(before.token, serverWith(SECRET)).register())).toEqual([401, "invalid_token"])
  expect(codeOf(await pageOf(fresh, serverWith(old)).register())).toEqual([401, "invalid_token"])
  // Each names its key, the same on every server, so that no other is tried.
  const kids = [before.token, fresh].map((token) => decodeProtectedHeader(token).kid)
  expect(new Set(kids).size).toBe(2)
  expect(decodeProtectedHeader((await serverWith(SECRET).createToken("s")).token).kid).toBe(kids[1])
  expect(() => serverWith([])).toThrow(TypeError)
  expect(() => serverWith([SECRET, ""])).toThrow(TypeError)
})

test("Each of several API keys is good, and no other.", async () => {
  const keyed = createSessionServer({ secret: SECRET, apiKey: ["new", "old"], clock: createFakeClock() })
  await keyed.createToken("s")
  const answers = ["new", "old", "older"].map(async (key) => (await keyed.fetch(new Request("http://server.test/v1/sessions/s/tools", { headers: { authorization: `Bearer ${key}` } }))).status)
  expect(await Promise.all(answers)).toEqual([200, 200, 401])
})

test("A revoked token is answered 401 `token_revoked`, its streams end, and no other token of its session is touched.", async () => {
  const { server, sessionId, agent, pageOf } = await createHarness()
  const one = await server.createToken(sessionId)
  const other = await server.createToken(sessionId)
  const streamOfOne = await pageOf({ token: one.token }).stream()
  const streamOfOther = await pageOf({ token: other.token }).stream()
  await streamOfOne.nextOf("session.running")
  await streamOfOther.nextOf("session.running")

  expect((await agent.send("DELETE", `/tokens/${one.token_id}`)).status).toBe(204)
  expect(await streamOfOne.ended).toBeUndefined()
  expect(streamOfOne.waiting).toEqual([])
  expect(codeOf(await pageOf({ token: one.token }).register())).toEqual([401, "token_revoked"])
  expect(codeOf(await pageOf({ token: one.token }).send("GET", "/events"))).toEqual([401, "token_revoked"])
  expect(codeOf(await pageOf({ token: one.token }).remove("x"))).toEqual([401, "token_revoked"])
  expect((await pageOf({ token: other.token }).register()).status).toBe(201)
  await streamOfOther.nextOf("tool_client.registered")

  await server.revokeToken(sessionId, other.token_id)
  expect(await streamOfOther.ended).toBeUndefined()
  await expect(server.revokeToken("unknown", "x")).rejects.toMatchObject({ code: "session_not_found" })
})

test("One revocation too many revokes all tokens of the session, so that none comes back.", async () => {
  const { server, sessionId, page, pageOf } = await createHarness()
  const { token, token_id } = await server.createToken(sessionId)
  await server.revokeToken(sessionId, token_id)
  for (let count = 1; count < MAX_REVOKED_TOKENS; count++) await server.revokeToken(sessionId, `other ${count}`)
  expect((await page.register()).status).toBe(201)
  await server.revokeToken(sessionId, "one more")
  for (const bearer of [page, pageOf({ token })]) expect(codeOf(await bearer.register())).toEqual([401, "token_revoked"])
  const { token: fresh } = await server.createToken(sessionId)
  expect((await pageOf({ token: fresh }).register()).status).toBe(201)
})

test("A revoked session's tokens are answered 401 `token_revoked`, its streams end, its clients are gone, and its pending calls are settled with an error.", async () => {
  const { agent, page, serving, dispatched, toolNames, clock } = await createHarness()
  const { events } = await serving()
  const { outcome, call } = await dispatched(events)
  expect((await agent.send("DELETE", "")).status).toBe(204)
  expect(await outcome).toEqual({ call_id: call.call_id, is_error: true, text: expect.stringContaining("session was closed") })
  expect(await events.ended).toBeUndefined()
  expect(events.waiting).toEqual([])
  expect(await toolNames()).toEqual([])
  expect(codeOf(await page.register())).toEqual([401, "token_revoked"])
  // Until the last of its tokens has ended by itself: only then it may be forgotten.
  await clock.advance(3_599_000)
  expect(codeOf(await page.register())).toEqual([401, "token_revoked"])
  await clock.advance(1_000)
  expect(codeOf(await page.register())).toEqual([401, "token_expired"])
})

test("A session that the server does not know can be revoked, since its tokens would open it again.", async () => {
  const { server, sessionId, token, clock } = await createHarness()
  const restarted = createSessionServer({ apiKey: API_KEY, secret: SECRET, clock })
  await restarted.revokeSession(sessionId)
  expect(codeOf(await createPage({ fetch: restarted.fetch, sessionId, token }).register())).toEqual([401, "token_revoked"])
  await expect(server.revokeSession("not an id")).rejects.toMatchObject({ code: "invalid_request" })
})

test("A token for a revoked session is refused with 410 `session_revoked`, until the session is created again.", async () => {
  const { server, agent, sessionId, clock } = await createHarness()
  await server.revokeSession(sessionId)
  const refused = { status: 410, code: "session_revoked", message: expect.stringContaining("createSession({ id })") }
  await expect(server.createToken(sessionId)).rejects.toMatchObject(refused)
  expect(codeOf(await agent.send("POST", "/tokens"))).toEqual([410, "session_revoked"])
  expect((await agent.send("PUT", "")).status).toBe(201)
  expect((await agent.send("POST", "/tokens")).status).toBe(201)

  await server.revokeSession(sessionId)
  await clock.advance(3_599_000)
  await expect(server.createToken(sessionId)).rejects.toMatchObject(refused)
  // Then its last token has ended by itself, and the session is forgotten.
  await clock.advance(1_000)
  await server.createToken(sessionId)
})

test("A token of a revoked session that somebody else has signed meanwhile is refused, too.", async () => {
  const { server, sessionId, pageOf, clock } = await createHarness()
  const other = createSessionServer({ secret: SECRET, clock })
  await server.revokeSession(sessionId)
  await clock.advance(1_000)
  const { token } = await other.createToken(sessionId)
  expect(codeOf(await pageOf({ token }).register())).toEqual([401, "token_revoked"])
})

test("A token that is made after its session was revoked and created again is good.", async () => {
  const { server, sessionId, pageOf } = await createHarness()
  await server.revokeSession(sessionId)
  // In the same millisecond.
  const { token } = await server.createSession({ id: sessionId })
  const page = pageOf({ token })
  const events = await page.stream()
  await events.nextOf("session.running")
  expect((await page.register()).status).toBe(201)
  await events.nextOf("tool_client.registered")
})

test("A stream ends when its token does, and the page that resumes it with a new one has missed nothing.", async () => {
  const { server, sessionId, page, pageOf, clock } = await createHarness({ tokenTtlSeconds: 100 })
  const events = await page.stream()
  await events.nextOf("session.running")
  await clock.advance(99_999)
  const lastId = events.waiting.at(-1)?.id
  expect(events.waiting.map(({ type }) => type)).toEqual(Array<string>(6).fill("keep_alive"))
  const { token } = await server.createToken(sessionId)
  await clock.advance(1)
  expect(await events.ended).toBeUndefined()
  await server.setRunning(sessionId, true)
  expect(codeOf(await page.send("GET", "/events"))).toEqual([401, "token_expired"])
  const resumed = await pageOf({ token }).stream(lastId)
  expect([await resumed.next(), await resumed.next()]).toMatchObject([
    { type: "session.running", data: { running: true } },
    { type: "session.running", data: { running: true } },
  ])
})

test("An agent's request that `authorize` names somebody for is taken without the API key.", async () => {
  const asked: unknown[] = []
  const told: ServerEvent[] = []
  const { server, sessionId, token, pageOf, serving } = await createHarness({
    observers: [(event) => told.push(event)],
    authorize(request, { sessionId: target }) {
      asked.push([request.method, target, request.body])
      const user = request.headers.get("x-user")
      if (user === "broken") throw new Error("The directory is down.")
      if (user === "banned") throw new SessionServerError(403, "token_not_accepted", "Banned.")
      return user === "ada" ? user : null
    },
    logger: { warn: vi.fn(), error: vi.fn() },
  })
  await serving()
  const as = (user: string) => {
    const page = pageOf({ token: "", headers: { "x-user": user, authorization: "" } })
    return page.send("POST", "/tool-calls?wait=0", { tool: "client__web__add", arguments: { a: 1 } })
  }
  expect((await as("ada")).status).toBe(202)
  expect(asked).toEqual([["POST", sessionId, null]])
  expect(told).toContainEqual(expect.objectContaining({ type: "call.requested", who: "ada", tool: "add" }))
  expect(codeOf(await as("eve"))).toEqual([401, "missing_token"])
  expect(codeOf(await as("banned"))).toEqual([403, "token_not_accepted"])
  expect(codeOf(await as("broken"))).toEqual([500, "internal_error"])
  // The key goes beside it, and a page's token is still a page's.
  expect((await pageOf({ token: API_KEY }).send("GET", "/tools")).status).toBe(200)
  expect(codeOf(await pageOf({ token }).send("GET", "/tools"))).toEqual([403, "token_not_accepted"])
  const create = (headers: Record<string, string>) => server.fetch(new Request("http://server.test/v1/sessions", { method: "POST", headers }))
  expect((await create({ "x-user": "ada" })).status).toBe(201)
  expect(asked.at(-1)).toEqual(["POST", null, null])
})

test("A server with `authorize` alone takes agents' requests, and none of somebody it does not name.", async () => {
  const server = createSessionServer({ secret: SECRET, clock: createFakeClock(), authorize: (request) => Promise.resolve(request.headers.get("x-user")) })
  const { id } = await server.createSession()
  const statusOf = async (headers: Record<string, string>) => (await server.fetch(new Request(`http://server.test/v1/sessions/${id}/tools`, { headers }))).status
  expect(await statusOf({ "x-user": "ada" })).toBe(200)
  expect(await statusOf({})).toBe(401)
  expect(await statusOf({ authorization: "Bearer undefined" })).toBe(401)
})
