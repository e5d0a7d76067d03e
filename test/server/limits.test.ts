import { expect, test } from "vitest"
import { createSessionServer } from "../../src/server/index.ts"
import type { ErrorBody } from "../../src/wire/messages.ts"
import { createHarness, SECRET } from "./support/createHarness.ts"
import { aTool, createPage } from "./support/createPage.ts"

const refusal = ({ status, body, headers }: { status: number; body: unknown; headers: Headers }) => [
  status,
  (body as ErrorBody | undefined)?.error.code,
  headers.get("retry-after"),
]
const tools = (count: number, description = "x") => Array.from({ length: count }, (_, index) => aTool(`t${index}`, { description }))

test("A session whose tools are too many or too large together answers 429 with `Retry-After`, and takes what makes it less.", async () => {
  const { page } = await createHarness({ limits: { maxTools: 5, maxSessionSize: 2_000 } })
  const { body: first } = await page.register({ instance_id: "i1", tools: tools(3) })
  expect(refusal(await page.register({ instance_id: "i2", tools: tools(3) }))).toEqual([429, "too_many_tools", "5"])
  expect(refusal(await page.register({ instance_id: "i2", tools: tools(2, "x".repeat(1_000)) }))).toEqual([429, "session_too_large", "5"])
  const { body: second } = await page.register({ instance_id: "i2", tools: tools(2) })
  expect(refusal(await page.update(second.id, 1, tools(3)))).toEqual([429, "too_many_tools", "5"])
  expect(refusal(await page.update(second.id, 1, tools(1, "x".repeat(2_000))))).toEqual([429, "session_too_large", "5"])
  expect(refusal(await page.register({ instance_id: "i2", tools: tools(3) }))).toEqual([429, "too_many_tools", "5"])
  // Fewer, the same again, and a new load in the place of the old.
  expect((await page.update(second.id, 1, tools(1))).status).toBe(204)
  expect((await page.update(second.id, 2, tools(2))).status).toBe(204)
  expect((await page.register({ instance_id: "i1", load_id: "l2", tools: tools(3) })).status).toBe(201)
  expect((await page.remove(first.id)).status).toBe(204)
})

test("The arguments of pending calls count, until they are settled.", async () => {
  const { page, agent, serving, dispatched } = await createHarness({ limits: { maxSessionSize: 1_000 } })
  const { events, id } = await serving()
  const { call, outcome } = await dispatched(events, "client__web__add", { text: "x".repeat(600) })
  const ask = () => agent.send("POST", "/tool-calls?wait=0", { tool: "client__web__add", arguments: { text: "x".repeat(600) } })
  expect(refusal(await ask())).toEqual([429, "session_too_large", "5"])
  await page.answer(id, call.call_id)
  await outcome
  expect((await ask()).status).toBe(202)
})

test("A session that is asked for too many calls in a minute answers 429 `rate_limited`, and `Retry-After` is when the next one is taken.", async () => {
  const { agent, serving, clock, server, sessionId } = await createHarness({ limits: { maxCallsPerMinute: 3 } })
  await serving({ lifetime: { type: "never" } })
  const ask = () => agent.send("POST", "/tool-calls?wait=0", { tool: "client__web__add" })
  for (let count = 0; count < 3; count++) expect((await ask()).status).toBe(202)
  expect(refusal(await ask())).toEqual([429, "rate_limited", "20"])
  await expect(server.callTool(sessionId, "client__web__add")).rejects.toMatchObject({ code: "rate_limited" })
  await clock.advance(19_999)
  expect(refusal(await ask())).toEqual([429, "rate_limited", "1"])
  await clock.advance(1)
  expect((await ask()).status).toBe(202)
  expect(refusal(await ask())).toEqual([429, "rate_limited", "20"])
  // What is not used comes back, up to the limit.
  await clock.advance(600_000)
  for (let count = 0; count < 3; count++) expect((await ask()).status).toBe(202)
  expect((await ask()).status).toBe(429)
})

test("A repeat with the same `Idempotency-Key` is no further call of the minute.", async () => {
  const { pageOf, serving } = await createHarness({ limits: { maxCallsPerMinute: 1 } })
  await serving()
  const agent = pageOf({ token: "key-of-the-agent", headers: { "idempotency-key": "one" } })
  for (let count = 0; count < 3; count++) expect((await agent.send("POST", "/tool-calls?wait=0", { tool: "client__web__add" })).status).toBe(202)
})

test("A session whose pages send too many requests in a minute answers 429 `rate_limited`, and no other session is touched.", async () => {
  const { server, page, clock } = await createHarness({ limits: { maxRequestsPerMinute: 6 } })
  const { body: client } = await page.register()
  for (let count = 1; count < 6; count++) expect((await page.ping(client.id)).status).toBe(204)
  expect(refusal(await page.ping(client.id))).toEqual([429, "rate_limited", "10"])
  expect(refusal(await page.send("GET", "/events"))).toEqual([429, "rate_limited", "10"])
  const other = await server.createSession()
  const neighbour = createPage({ fetch: server.fetch, sessionId: other.id, token: other.token })
  expect((await neighbour.register()).status).toBe(201)
  // Who has no token of the session cannot use up its requests.
  for (let count = 0; count < 20; count++) await createPage({ fetch: server.fetch, sessionId: other.id, token: "bad" }).ping("x")
  expect((await neighbour.register()).status).toBe(201)
  await clock.advance(10_000)
  expect((await page.ping(client.id)).status).toBe(204)
})

test.each([[{ maxStreams: 0 }], [{ maxTools: Number.NaN }], [{ maxStream: 3 }]])("A limit that is none, such as %j, is refused when the server is made.", (limits: object) => {
  expect(() => createSessionServer({ secret: SECRET, limits })).toThrow(TypeError)
})
