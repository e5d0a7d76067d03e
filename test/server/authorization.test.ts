import { SignJWT } from "jose"
import { expect, test, vi } from "vitest"
import { createSessionServer } from "../../src/server/index.ts"
import { createFakeClock } from "../../src/testing/fakeClock.ts"
import type { ErrorBody } from "../../src/wire/messages.ts"
import { API_KEY, createHarness, SECRET } from "./support/createHarness.ts"
import { createPage } from "./support/createPage.ts"

const PAGE_REQUESTS: readonly [method: string, path: string, body?: unknown][] = [
  ["GET", "/events"],
  ["POST", "/tool-clients", {}],
  ["PUT", "/tool-clients/x/tools", {}],
  ["POST", "/tool-clients/x/ping", {}],
  ["POST", "/tool-clients/x/acks", {}],
  ["POST", "/tool-clients/x/answers", {}],
  ["DELETE", "/tool-clients/x"],
]
const AGENT_REQUESTS: readonly [method: string, path: string, body?: unknown][] = [
  ["POST", "/tokens"],
  ["GET", "/tools"],
  ["POST", "/tool-calls", {}],
  ["GET", "/tool-calls/x"],
  ["POST", "/tool-calls/x/cancel"],
]

test("A page's request without a token, or with a bad or expired one, is answered 401, and the message says what to do.", async () => {
  const { clock, server, sessionId, token, pageOf } = await createHarness({ tokenTtlSeconds: 60 })
  for (const [method, path, body] of PAGE_REQUESTS) {
    const bad = await pageOf({ token: `${token}x` }).send(method, path, body)
    expect([bad.status, bad.body.error.code]).toEqual([401, "invalid_token"])
    expect(bad.body.error.message).toContain("Ask your own server for a new one")
    expect((await pageOf({ token: API_KEY }).send(method, path, body)).status).toBe(401)
  }
  const none = await server.fetch(new Request(`http://server.test/v1/sessions/${sessionId}/events`))
  expect([none.status, none.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
  expect(((await none.json()) as ErrorBody).error.message).toContain("Authorization: Bearer <session token>")
  const basic = await pageOf({ headers: { authorization: "Basic abc" } }).ping("x")
  expect([basic.status, basic.body.error.code]).toEqual([401, "missing_token"])
  await clock.advance(60_000)
  const expired = await pageOf().ping("x")
  expect([expired.status, expired.body.error.code]).toEqual([401, "token_expired"])
})

test("A token of another session is answered 403 `wrong_session`.", async () => {
  const { server, pageOf } = await createHarness()
  const { token } = await server.createSession()
  for (const [method, path, body] of PAGE_REQUESTS) {
    const answer = await pageOf({ token }).send(method, path, body)
    expect([answer.status, answer.body.error.code]).toEqual([403, "wrong_session"])
  }
})

test("A session token on an agent's request is answered 403 `token_not_accepted`.", async () => {
  const { server, token, page, clock } = await createHarness({ tokenTtlSeconds: 60 })
  for (const [method, path, body] of AGENT_REQUESTS) {
    const answer = await page.send(method, path, body)
    expect([answer.status, answer.body.error.code]).toEqual([403, "token_not_accepted"])
  }
  const create = await server.fetch(new Request("http://server.test/v1/sessions", { method: "POST", headers: { authorization: `Bearer ${token}` } }))
  expect(create.status).toBe(403)
  await clock.advance(60_000)
  expect((await page.send("GET", "/tools")).status).toBe(403)
})

test("A wrong or missing API key is answered 401.", async () => {
  const { server, pageOf } = await createHarness()
  for (const [method, path, body] of AGENT_REQUESTS) {
    for (const token of [`${API_KEY}x`, API_KEY.slice(1), "k"]) {
      const answer = await pageOf({ token }).send(method, path, body)
      expect([answer.status, answer.body.error.code]).toEqual([401, "invalid_token"])
    }
  }
  const missing = await server.fetch(new Request("http://server.test/v1/sessions", { method: "POST" }))
  expect(missing.status).toBe(401)
})

test("A server without an API key answers every agent's request over HTTP with 403.", async () => {
  const clock = createFakeClock()
  const server = createSessionServer({ secret: SECRET, clock })
  const { id: sessionId, token } = await server.createSession()
  for (const bearer of [token, "undefined", "key"]) {
    const someone = createPage({ fetch: server.fetch, sessionId, token: bearer })
    for (const [method, path, body] of AGENT_REQUESTS) {
      const answer = await someone.send(method, path, body)
      expect([answer.status, answer.body.error.code]).toEqual([403, "agent_routes_disabled"])
    }
  }
  expect(await server.tools(sessionId)).toEqual([])
})

test("A good token opens its session again on a server that does not know it, so a restarted server with the same secret goes on.", async () => {
  const before = await createHarness()
  const after = createSessionServer({ secret: SECRET, clock: before.clock })
  await expect(after.tools(before.sessionId)).rejects.toMatchObject({ code: "session_not_found" })
  const page = createPage({ fetch: after.fetch, sessionId: before.sessionId, token: before.token })
  expect((await page.register()).status).toBe(201)
  expect(await after.tools(before.sessionId)).toHaveLength(1)
  const stranger = createSessionServer({ secret: `${SECRET}!`, clock: before.clock })
  const refused = await createPage({ fetch: stranger.fetch, sessionId: before.sessionId, token: before.token }).register()
  expect(refused.status).toBe(401)
})

test("A token that was signed with the same secret for something else is refused.", async () => {
  const { sessionId, pageOf, clock } = await createHarness()
  const key = new TextEncoder().encode(SECRET)
  const expiry = Math.floor(clock.now() / 1000) + 60
  const claims = () => new SignJWT({ sid: sessionId }).setProtectedHeader({ alg: "HS256" })
  const ours = await claims().setAudience("react-tool-client/session").setExpirationTime(expiry).sign(key)
  expect((await pageOf({ token: ours }).remove("x")).status).toBe(204)
  const unsigned = `${btoa('{"alg":"none"}')}.${ours.split(".")[1]}.`
  for (const token of [
    await claims().setExpirationTime(expiry).sign(key),
    await claims().setAudience("mail").setExpirationTime(expiry).sign(key),
    await claims().setAudience("react-tool-client/session").sign(key),
    await new SignJWT({}).setProtectedHeader({ alg: "HS256" }).setAudience("react-tool-client/session").setExpirationTime(expiry).sign(key),
    await new SignJWT({ sid: sessionId }).setProtectedHeader({ alg: "HS512" }).setAudience("react-tool-client/session").setExpirationTime(expiry).sign(key),
    unsigned,
  ]) {
    expect((await pageOf({ token }).remove("x")).status).toBe(401)
  }
})

test("A server without a secret, or with a short one, says so once; one with an empty secret or key is not made.", async () => {
  const logger = { warn: vi.fn(), error: vi.fn() }
  const clock = createFakeClock()
  const server = createSessionServer({ logger, clock })
  const { id: sessionId, token } = await server.createSession()
  expect((await createPage({ fetch: server.fetch, sessionId, token }).register()).status).toBe(201)
  expect(logger.warn.mock.calls).toEqual([[expect.stringContaining("Set `secret`")]])
  createSessionServer({ logger, clock, secret: SECRET })
  expect(logger.warn).toHaveBeenCalledTimes(1)
  createSessionServer({ logger, clock, secret: "short" })
  expect(logger.warn).toHaveBeenLastCalledWith(expect.stringContaining("at least 32"))
  expect(() => createSessionServer({ secret: "" })).toThrow(TypeError)
  expect(() => createSessionServer({ secret: SECRET, apiKey: "" })).toThrow(TypeError)
})

test("A server that is given an apiKey of undefined says so once, unless it lets agents in otherwise or was given none.", () => {
  const logger = { warn: vi.fn(), error: vi.fn() }
  const clock = createFakeClock()
  createSessionServer({ logger, clock, secret: SECRET })
  createSessionServer({ logger, clock, secret: SECRET, apiKey: undefined, authorize: () => null })
  expect(logger.warn).not.toHaveBeenCalled()
  createSessionServer({ logger, clock, secret: SECRET, apiKey: undefined })
  expect(logger.warn.mock.calls).toEqual([[expect.stringMatching(/apiKey is undefined.*403/)]])
})

test.each([false, true, "", 0, 42, {}])("An `authorize` of JavaScript that gives %j lets nobody in, and the log says why.", async (who) => {
  const logger = { warn: vi.fn(), error: vi.fn() }
  const server = createSessionServer({ logger, clock: createFakeClock(), secret: SECRET, authorize: () => who as unknown as string })
  const response = await server.fetch(new Request("http://server.test/v1/sessions", { method: "POST" }))
  expect(response.status).toBe(500)
  expect(logger.error).toHaveBeenCalledWith(expect.any(String), expect.objectContaining({ message: expect.stringContaining("authorize of createSessionServer returned") as string }))
})

test("An `authorize` that never says who asks holds no request for ever: after 10 s it is answered 503 `authorization_unavailable`.", async () => {
  const clock = createFakeClock()
  const asked: Request[] = []
  const authorize = (request: Request): Promise<string> => {
    asked.push(request)
    return new Promise(() => {})
  }
  const server = createSessionServer({ logger: { warn() {}, error: expect.fail }, clock, secret: SECRET, apiKey: API_KEY, authorize })
  const answer = server.fetch(new Request("http://server.test/v1/sessions", { method: "POST" }))
  await clock.advance(10_000)
  const { status, json } = await answer.then(async (response) => ({ status: response.status, json: (await response.json()) as ErrorBody }))
  expect([status, json.error.code]).toEqual([503, "authorization_unavailable"])
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true])
  const byKey = await server.fetch(new Request("http://server.test/v1/sessions", { method: "POST", headers: { authorization: `Bearer ${API_KEY}` } }))
  expect(byKey.status).toBe(201)
})

test.each<[string, unknown]>([
  ["apiKey", 5],
  ["apiKey", "two words"],
  ["apiKey", "ends with a line break\n"],
  ["apiKey", ["good", "schlüssel"]],
  ["secret", [5]],
  ["authorize", "everybody"],
  ["tokenTtlSeconds", -1],
  ["tokenTtlSeconds", Number.NaN],
  ["tokenTtlSeconds", "60"],
  ["observers", {}],
  ["observers", [5]],
  ["store", {}],
  ["endpoints", { mcp: {} }],
  ["basePath", "api"],
  ["basePath", "/api/"],
  ["basePath", "/"],
  ["allowedOrigins", "https://app.example"],
  ["allowedHosts", "agents.example.com"],
])("A server whose `%s` is %j is not made, and told which option it was.", (name, value) => {
  expect(() => createSessionServer({ secret: SECRET, logger: { warn() {}, error() {} }, [name]: value })).toThrow(new RegExp(`^createSessionServer: ${name} `))
})
