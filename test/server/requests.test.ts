import { expect, test } from "vitest"
import type { ErrorBody, RegisterResponse } from "../../src/wire/messages.ts"
import { aRegistration, aTool } from "./support/createPage.ts"
import { API_KEY, createHarness } from "./support/createHarness.ts"

const errorOf = async (response: Response): Promise<ErrorBody["error"]> => ((await response.json()) as ErrorBody).error

function post(path: string, token: string, body: BodyInit, headers: Record<string, string> = {}): Request {
  return new Request(`http://server.test/v1/sessions/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, ...headers },
    body,
    ...(body instanceof ReadableStream && { duplex: "half" }),
  })
}

test("A request with a body must say `Content-Type: application/json`; any other is answered 415.", async () => {
  const { server, sessionId, token } = await createHarness()
  const body = JSON.stringify(aRegistration())
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
    const response = await server.fetch(post(`${sessionId}/tool-clients`, token, body, { "content-type": type }))
    expect(response.status).toBe(415)
    expect((await errorOf(response)).code).toBe("unsupported_media_type")
  }
  const accepted = await server.fetch(post(`${sessionId}/tool-clients`, token, body, { "content-type": "Application/JSON; charset=utf-8" }))
  expect(accepted.status).toBe(201)
})

test("A body that is larger than the limit is answered 413, also when its length was not announced.", async () => {
  const { server, sessionId, token } = await createHarness({ limits: { maxBodyBytes: 1000 } })
  const headers = { "content-type": "application/json" }
  const announced = await server.fetch(post(`${sessionId}/tool-clients`, token, JSON.stringify("x".repeat(1000)), { ...headers, "content-length": "1002" }))
  expect(announced.status).toBe(413)
  let pulls = 0
  let isCancelled = false
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulls++
      controller.enqueue(new Uint8Array(400))
    },
    cancel() {
      isCancelled = true
    },
  })
  const unannounced = await server.fetch(post(`${sessionId}/tool-clients`, token, endless, headers))
  expect(unannounced.status).toBe(413)
  expect((await errorOf(unannounced)).message).toContain("1000 bytes")
  expect(pulls).toBeLessThan(10)
  expect(isCancelled).toBe(true)
})

test("A body that does not have the shape is answered 400, and the message names the path of what is wrong.", async () => {
  const { page, agent } = await createHarness()
  const { body: client } = await page.register()
  const path = `/tool-clients/${client.id}`
  const cases: readonly [method: string, path: string, body: unknown, message: string][] = [
    ["POST", "/tool-clients", { ...aRegistration(), name: 1 }, "name:"],
    ["POST", "/tool-clients", { ...aRegistration(), name: "a b" }, "name:"],
    ["POST", "/tool-clients", { ...aRegistration(), instance_id: "" }, "instance_id:"],
    ["POST", "/tool-clients", { ...aRegistration(), tools: {} }, "tools:"],
    ["POST", "/tool-clients", { ...aRegistration(), tools: [aTool("ok"), { ...aTool("a"), description: 1 }] }, "tools[1].description:"],
    ["POST", "/tool-clients", { ...aRegistration(), tools: [aTool("a", { parameters: { type: "array" } })] }, "tools[0].parameters:"],
    ["POST", "/tool-clients", { ...aRegistration(), tools: [{ name: "a", description: "" }] }, "tools[0].parameters: must be a JSON Schema object"],
    ["POST", "/tool-clients", { ...aRegistration(), tools: [{ ...aTool("a"), annotations: { readOnlyHint: "yes" } }] }, "tools[0].annotations.readOnlyHint:"],
    ["PUT", `${path}/tools`, { revision: 1.5, tools: [] }, "revision:"],
    ["PUT", `${path}/tools`, { revision: -1, tools: [] }, "revision:"],
    ["POST", `${path}/ping`, { leaving: "yes" }, "leaving:"],
    ["POST", `${path}/acks`, { call_ids: "k" }, "call_ids:"],
    ["POST", `${path}/answers`, { call_id: "k", text: 1, is_error: false }, "text:"],
    ["POST", `${path}/answers`, [], "the body:"],
  ]
  for (const [method, where, body, message] of cases) {
    const answer = await page.send(method, where, body)
    expect([answer.status, answer.body.error.code], message).toEqual([400, "invalid_request"])
    expect(answer.body.error.message).toContain(message)
  }
  const call = await agent.send("POST", "/tool-calls", { tool: "" })
  expect([call.status, call.body.error.message]).toEqual([400, expect.stringContaining("tool:")])
})

test("A body of garbage is answered with a few of its mistakes, not with all.", async () => {
  const { page } = await createHarness()
  const { body } = await page.send("PUT", "/tool-clients/x/tools", { revision: 1, tools: Array.from({ length: 100 }, () => 1) })
  expect(body.error.message).toMatch(/and 90 more$/)
})

test("A body that is no JSON is answered 400.", async () => {
  const { server, sessionId, token } = await createHarness()
  const response = await server.fetch(post(`${sessionId}/tool-clients`, token, "{", { "content-type": "application/json" }))
  expect([response.status, (await errorOf(response)).code]).toEqual([400, "invalid_request"])
})

test("A body that nests too deep is answered 400.", async () => {
  const { server, sessionId, serving } = await createHarness()
  await serving()
  const depth = 200_000
  const body = `{"tool":"client__web__add","arguments":${"[".repeat(depth)}${"]".repeat(depth)}}`
  const response = await server.fetch(post(`${sessionId}/tool-calls`, API_KEY, body, { "content-type": "application/json" }))
  expect(response.status).toBe(400)
  expect((await errorOf(response)).message).toContain("128 levels")
  let nested: unknown = 1
  for (let level = 0; level < 200; level++) nested = { nested }
  await expect(server.callTool(sessionId, "client__web__add", nested)).rejects.toThrow("128 levels")
})

test("A field that this version does not know is passed over.", async () => {
  const { page, server, sessionId } = await createHarness()
  const answer = await page.send<RegisterResponse>("POST", "/tool-clients", { ...aRegistration(), tools: [{ ...aTool("add"), icon: "plus" }], mood: "good" })
  expect(answer.status).toBe(201)
  expect(await server.tools(sessionId)).toEqual([{ ...aTool("add"), name: "client__web__add" }])
})

test("A key named `__proto__` in arguments or schemas arrives as it was sent and changes nothing else.", async () => {
  const { server, sessionId, token, page } = await createHarness()
  const events = await page.stream()
  const headers = { "content-type": "application/json" }
  const hostile = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}'
  const schema = `{"type":"object","properties":${hostile}}`
  const registration = JSON.stringify(aRegistration()).replace('{"type":"object"}', schema)
  expect((await server.fetch(post(`${sessionId}/tool-clients`, token, registration, headers))).status).toBe(201)
  const [tool] = await server.tools(sessionId)
  expect(JSON.stringify(tool?.parameters)).toBe(schema)

  void server.fetch(post(`${sessionId}/tool-calls`, API_KEY, `{"tool":"client__web__add","arguments":${hostile}}`, headers))
  const call = await events.nextOf("tool_call.dispatched")
  expect(JSON.stringify(call.arguments)).toBe(hostile)
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  await server.close()
})

test("A path that does not exist is answered 404 `not_found`, and a method that it does not take 405 with `Allow`.", async () => {
  const { server, page } = await createHarness()
  for (const path of ["/", "/v1", "/v1/sessions/a/b/c/d", "/v2/sessions"]) {
    const response = await server.fetch(new Request(`http://server.test${path}`))
    expect([response.status, (await errorOf(response)).code]).toEqual([404, "not_found"])
  }
  const wrongMethod = await page.send("PUT", "/events", {})
  expect([wrongMethod.status, wrongMethod.body.error.code, wrongMethod.headers.get("allow")]).toEqual([405, "method_not_allowed", "GET"])
  const malformed = await server.fetch(new Request("http://server.test/v1/sessions/%E0%A4%A/events"))
  expect(malformed.status).toBe(400)
})

test("Ids are random and cannot be guessed or counted.", async () => {
  const { server, serving, dispatched } = await createHarness()
  const { id: other } = await server.createSession()
  const { id, events } = await serving()
  const { call } = await dispatched(events)
  for (const value of [other, id, call.call_id]) expect(value).toMatch(/^[0-9a-f]{32}$/)
})

test("A handler below a base path answers there and nowhere else.", async () => {
  const { server, sessionId, token } = await createHarness({ basePath: "/api" })
  const at = (path: string) =>
    server.fetch(new Request(`http://server.test${path}/v1/sessions/${sessionId}/tool-clients/x`, { method: "DELETE", headers: { authorization: `Bearer ${token}` } }))
  expect((await at("/api")).status).toBe(204)
  expect((await at("")).status).toBe(404)
  expect((await at("/apix")).status).toBe(404)
})

test("A set of too many tools, a description or a schema that is too long is refused with 400.", async () => {
  const { page } = await createHarness({ limits: { maxToolsPerClient: 2, maxDescriptionLength: 100, maxSchemaLength: 100 } })
  const long = "x".repeat(101)
  for (const tools of [
    [aTool("a"), aTool("b"), aTool("c")],
    [aTool("a", { description: long })],
    [aTool("a", { parameters: { type: "object", description: long } })],
    [aTool("a", { output: { type: "object", description: long } })],
  ]) {
    expect((await page.register({ tools })).status).toBe(400)
  }
})

test("The refusal of a set that would be taken without some of its tools names those in `error.tools`.", async () => {
  const { page } = await createHarness({ limits: { maxDescriptionLength: 100 } })
  const bad = [aTool("b", { description: "x".repeat(101) }), aTool("c", { parameters: { type: "array" } })]
  const refusal = { status: 400, body: { error: { code: "invalid_request", tools: ["b", "c"] } } }
  expect(await page.register({ tools: [aTool("a"), ...bad] })).toMatchObject(refusal)
  const { body: client } = await page.register({ tools: [aTool("a")] })
  expect(await page.update(client.id, 1, [...bad, aTool("a")])).toMatchObject(refusal)
  const tooLong = await page.update(client.id, 1, [aTool("a"), aTool("y".repeat(60))])
  expect(tooLong).toMatchObject({ status: 422, body: { error: { code: "tool_name_too_long", tools: ["y".repeat(60)] } } })
})

test("Where something else is wrong too, or a tool has no name, leaving tools out would not help, and none is named.", async () => {
  const { page } = await createHarness({ limits: { maxDescriptionLength: 100 } })
  const bad = aTool("b", { description: "x".repeat(101) })
  for (const body of [{ tools: [bad], load_id: "" }, { tools: [bad, { description: "no name" }] }, { tools: [bad, null] }, { tools: "none" }]) {
    const { status, body: answer } = await page.register(body as never)
    expect([status, Object.keys((answer as unknown as { error: object }).error)]).toEqual([400, ["code", "message"]])
  }
})

test("The refusal of a set of too many tools says in `error.max_tools` how many one client may have.", async () => {
  const { page } = await createHarness({ limits: { maxToolsPerClient: 2 } })
  const tools = [aTool("a"), aTool("b"), aTool("c")]
  const refusal = { status: 400, body: { error: { code: "invalid_request", max_tools: 2, message: "tools: 3 are too many; the maximum for one client is 2" } } }
  expect(await page.register({ tools })).toMatchObject(refusal)
  const { body: client } = await page.register()
  expect(await page.update(client.id, 1, tools)).toMatchObject(refusal)
})
