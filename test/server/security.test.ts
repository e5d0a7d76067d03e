// What docs/SECURITY.md promises of the server and no other test shows.
import { expect, test, vi } from "vitest"
import { createSessionServer } from "../../src/server/index.ts"
import { createFakeClock } from "../../src/testing/fakeClock.ts"
import type { ErrorBody } from "../../src/wire/messages.ts"
import { createHarness, SECRET } from "./support/createHarness.ts"

const EVIL = "https://evil.example"

test("Another site can make no request in the name of a person whose cookies `authorize` goes by.", async () => {
  const authorize = (request: Request): string | null => (request.headers.get("cookie") === "user=ada" ? "ada" : null)
  const server = createSessionServer({ secret: SECRET, clock: createFakeClock(), authorize, logger: { warn: vi.fn(), error: vi.fn() } })
  const { id, token_id } = await server.createSession()
  const ask = async (method: string, path: string, headers: Record<string, string>) =>
    (await server.fetch(new Request(`https://agents.example/v1/sessions${path}`, { method, headers: { cookie: "user=ada", ...headers } }))).status
  const requests = [["POST", ""], ["POST", `/${id}/tokens`], ["POST", `/${id}/tool-calls/x/cancel`], ["DELETE", `/${id}`], ["DELETE", `/${id}/tokens/${token_id}`]] as const
  // What a page elsewhere sends without asking first: a form, or a fetch that must not be read.
  for (const [method, path] of requests) expect(await ask(method, path, { "origin": EVIL, "content-type": "text/plain" })).toBe(403)
  for (const [method, path] of requests) expect(await ask(method, path, { origin: "null" })).toBe(403)
  expect(await ask("POST", "", { origin: "https://agents.example" })).toBe(201)
  // With every origin allowed there would be no telling them apart.
  expect(() => createSessionServer({ secret: SECRET, authorize, allowedOrigins: "*" })).toThrow("name the pages in allowedOrigins")
})

test("A body that a form can send is not read: it must say that it is JSON, for which a page elsewhere has to ask first.", async () => {
  const { server, sessionId, token } = await createHarness()
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp", ""]) {
    const request = new Request(`http://server.test/v1/sessions/${sessionId}/tool-clients`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": type },
      body: '{"name":"web"}',
    })
    expect((await server.fetch(request)).status).toBe(415)
  }
})

test("A token in the URL is not taken, and none is ever in a URL that the server gives.", async () => {
  const { server, sessionId, token } = await createHarness()
  for (const query of [`token=${token}`, `access_token=${token}`, `authorization=Bearer%20${token}`]) {
    expect((await server.fetch(new Request(`http://server.test/v1/sessions/${sessionId}/events?${query}`))).status).toBe(401)
  }
  const created = await server.createSession()
  expect(Object.values(created).filter((value) => /^https?:/.test(value))).toEqual([])
})

test("A refusal says nothing of the token or key that it refuses.", async () => {
  const { page, pageOf, token } = await createHarness()
  const answers = [
    await pageOf({ token: `${token}x` }).ping("x"),
    await page.send("GET", "/tools"),
    await pageOf({ token: "guess-of-the-key" }).send("GET", "/tools"),
    await pageOf({ headers: { authorization: `Basic ${token}` } }).ping("x"),
  ]
  for (const { status, body, headers } of answers) {
    expect(status).toBeGreaterThanOrEqual(401)
    const all = JSON.stringify([body, [...headers]])
    for (const secret of [token, "guess-of-the-key"]) expect(all).not.toContain(secret)
  }
})

test("A session that does all that it may leaves its neighbour's streams, calls and requests alone.", async () => {
  const limits = { maxStreams: 2, maxToolClients: 2, maxPendingCalls: 2, maxCallsPerMinute: 5, maxRequestsPerMinute: 20 }
  const { server, page, agent, pageOf } = await createHarness({ limits })
  const greedy: number[] = []
  for (let count = 0; count < 30; count++) {
    greedy.push((await page.register({ instance_id: `i${count}` })).status)
    greedy.push((await agent.send("POST", "/tool-calls?wait=0", { tool: "client__web__add" })).status)
    if (count < 4) greedy.push((await page.send("GET", `/tool-clients/${count}`)).status)
  }
  expect(greedy.filter((status) => status === 429).length).toBeGreaterThan(40)

  const other = await server.createSession()
  const neighbour = pageOf({ sessionId: other.id, token: other.token })
  const events = await neighbour.stream()
  await events.nextOf("session.running")
  const { body: client } = await neighbour.register()
  const outcome = server.callTool(other.id, "client__web__add")
  const call = await events.nextOf("tool_call.dispatched")
  expect((await neighbour.answer(client.id, call.call_id)).status).toBe(204)
  expect((await outcome).text).toBe("done")
})

test("What the server warns of is one line, whatever origin a request names.", async () => {
  const warnings: string[] = []
  const server = createSessionServer({ secret: SECRET, clock: createFakeClock(), logger: { warn: (message) => void warnings.push(message), error: vi.fn() } })
  const refused = await server.fetch(new Request("http://server.test/v1/sessions", { method: "POST", headers: { origin: "http://a\u009b2J\u0085.example" } }))
  expect(refused.status).toBe(403)
  expect(((await refused.json()) as ErrorBody).error.code).toBe("origin_not_allowed")
  // eslint-disable-next-line no-control-regex
  for (const warning of warnings) expect(warning).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/)
  expect(warnings.join()).toContain("\\u009b")
})
