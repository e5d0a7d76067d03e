// The official MCP client over Streamable HTTP, to a real server on loopback whose session is served by a real page client.
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import { createDeferred } from "../../src/lib/deferred.ts"
import { createFakeClock } from "../../src/testing/fakeClock.ts"
import { createSessionServer, serve } from "../../src/server/index.ts"
import { mcpEndpoint } from "../../src/server/mcp/index.ts"
import { MCP_IDLE_MS } from "../../src/server/mcp/mcpSessions.ts"
import { API_KEY, connect, createBench, transportTo } from "./support/createBench.ts"

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
}

const post = (url: URL, headers: Record<string, string> = {}, body: unknown = initialize): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(body),
  })

test("A page's tools are listed with title, annotations, input and output schema.", async () => {
  const { page, mcpUrl } = await createBench({ name: "shop", title: "The shop", version: "2.0.0", instructions: "Prices are in cents." })
  page.addTool("price", {
    title: "Price",
    description: "What something costs.",
    schema: z.object({ item: z.string() }),
    output: z.object({ cents: z.number() }),
    annotations: { readOnlyHint: true, destructiveHint: false, untrustedContentHint: true },
    execute: () => ({ cents: 3 }),
  })
  page.addTool("bare", { description: "Bare.", parameters: { type: "object", properties: { anything: true, nothing: false } }, execute: () => "ok" })
  const { client, until } = await connect(transportTo(mcpUrl))
  await until("client__web__price", "client__web__bare")
  const { tools } = await client.listTools()
  expect(tools[0]).toMatchObject({
    name: "client__web__price",
    title: "Price",
    description: "What something costs.",
    inputSchema: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
    outputSchema: { type: "object", properties: { cents: { type: "number" } }, required: ["cents"] },
  })
  expect(tools[0]?.annotations).toEqual({ readOnlyHint: true, destructiveHint: false })
  expect(tools[1]).toEqual({ name: "client__web__bare", description: "Bare.", inputSchema: { type: "object", properties: { anything: {}, nothing: { not: {} } } } })
  expect(client.getServerVersion()).toMatchObject({ name: "shop", title: "The shop", version: "2.0.0" })
  expect([client.getInstructions(), client.getServerCapabilities()]).toEqual(["Prices are in cents.", { tools: { listChanged: true } }])
})

test("A call answers with its text, and with its value where the tool has an output schema.", async () => {
  const { page, mcpUrl } = await createBench()
  const parameters = { type: "object" } as const
  page.addTool("text", { description: "Text.", schema: z.object({ name: z.string() }), execute: ({ name }) => `Hello ${name}` })
  page.addTool("value", { description: "Value.", parameters, output: z.object({ cents: z.number() }), execute: () => ({ cents: 3 }) })
  page.addTool("list", { description: "List.", parameters, output: z.array(z.string()), execute: () => ["a", "b"] })
  page.addTool("word", { description: "Word.", parameters, output: z.string(), execute: () => "3" })
  const { client, until } = await connect(transportTo(mcpUrl))
  await until("client__web__text", "client__web__value", "client__web__list", "client__web__word")
  // The official client checks each `structuredContent` with the schema that was listed.
  const call = (name: string, args = {}) => client.callTool({ name: `client__web__${name}`, arguments: args })
  expect(await call("text", { name: "you" })).toEqual({ content: [{ type: "text", text: "Hello you" }] })
  expect(await call("value")).toEqual({ content: [{ type: "text", text: '{"cents":3}' }], structuredContent: { cents: 3 } })
  expect(await call("list")).toEqual({ content: [{ type: "text", text: '["a","b"]' }], structuredContent: { result: ["a", "b"] } })
  expect(await call("word")).toEqual({ content: [{ type: "text", text: "3" }], structuredContent: { result: "3" } })
})

test("What goes wrong is a result that the model reads: refused arguments, a throw, a tool that is not there.", async () => {
  const { page, mcpUrl } = await createBench()
  page.addTool("strict", { description: "Strict.", schema: z.object({ title: z.string().min(3) }), output: z.object({}), execute: () => ({}) })
  page.addTool("failing", {
    description: "Fails.",
    parameters: { type: "object" },
    execute: () => {
      throw new Error("The shop is closed.")
    },
  })
  const { client, until } = await connect(transportTo(mcpUrl))
  await until("client__web__strict", "client__web__failing")
  const call = (name: string, args = {}) => client.callTool({ name: `client__web__${name}`, arguments: args })
  const text = expect.any(String) as string
  expect(await call("strict", { title: "x" })).toEqual({ isError: true, content: [{ type: "text", text }] })
  expect(await call("failing")).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("The shop is closed.") }] })
  expect(await call("gone")).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/"client__web__gone" is offered.*client__web__strict/) }] })
})

test("The list follows the page, and is said to have changed once for what one tick changes.", async () => {
  const { page, mcpUrl } = await createBench()
  const told = await connect(transportTo(mcpUrl))
  // The client begins to listen a little after it is connected; what it has missed until then is said again.
  page.addTool("first", { description: "First.", parameters: { type: "object" }, execute: () => "ok" })
  await told.changed()
  await told.until("client__web__first")
  const before = told.changes
  const names = ["a", "b", "c"]
  for (const name of names) page.addTool(name, { description: "One.", parameters: { type: "object" }, execute: () => "ok" })
  await told.until("client__web__first", ...names.map((name) => `client__web__${name}`))
  for (const name of names) page.removeTool(name)
  await told.until("client__web__first")
  expect(told.changes - before).toBe(2)
})

test("Calls run in parallel, and one that the client cancels is cancelled at its page.", async () => {
  const { page, mcpUrl } = await createBench()
  const begun = createDeferred<AbortSignal>()
  const ended = createDeferred<string>()
  page.addTool("slow", {
    description: "Slow.",
    parameters: { type: "object" },
    execute: (_args, { signal }) => {
      begun.resolve(signal)
      return ended.promise
    },
  })
  page.addTool("quick", { description: "Quick.", parameters: { type: "object" }, execute: () => "ok" })
  const { client, until } = await connect(transportTo(mcpUrl))
  await until("client__web__slow", "client__web__quick")
  const controller = new AbortController()
  const slow = client.callTool({ name: "client__web__slow" }, undefined, { signal: controller.signal })
  const signal = await begun.promise
  expect(await client.callTool({ name: "client__web__quick" })).toMatchObject({ content: [{ text: "ok" }] })
  const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
  controller.abort("enough")
  await expect(slow).rejects.toThrow("enough")
  await aborted
  ended.resolve("too late")
})

test("A call's progress reaches the client that asks for it, growing.", async () => {
  const { page, mcpUrl } = await createBench()
  const heard = [createDeferred<void>(), createDeferred<void>()] as const
  page.addTool("long", {
    description: "Long.",
    parameters: { type: "object" },
    execute: async (_args, { progress }) => {
      progress(1, 4, "Looking.")
      await heard[0].promise
      progress(0, 4, "Again.")
      progress(4, 4)
      await heard[1].promise
      return "done"
    },
  })
  const { client, until } = await connect(transportTo(mcpUrl))
  await until("client__web__long")
  const told: unknown[] = []
  const onprogress = (progress: { progress: number }): void => {
    told.push(progress)
    heard[progress.progress === 1 ? 0 : 1].resolve()
  }
  expect(await client.callTool({ name: "client__web__long" }, undefined, { onprogress })).toMatchObject({ content: [{ text: "done" }] })
  expect(told).toEqual([{ progress: 1, total: 4, message: "Looking." }, { progress: 4, total: 4 }])
})

test("A call whose page goes away is settled for the client, too.", async () => {
  const { page, mcpUrl, server, sessionId } = await createBench()
  const begun = createDeferred<void>()
  page.addTool("stuck", {
    description: "Stuck.",
    parameters: { type: "object" },
    execute: () => {
      begun.resolve()
      return new Promise<string>(() => {})
    },
  })
  const { client, until } = await connect(transportTo(mcpUrl))
  await until("client__web__stuck")
  const stuck = client.callTool({ name: "client__web__stuck" })
  await begun.promise
  await server.revokeSession(sessionId)
  expect(await stuck).toMatchObject({ isError: true })
})

test("The API key is needed, and a page's token is none.", async () => {
  const { mcpUrl, server, sessionId } = await createBench()
  const { token } = await server.createToken(sessionId)
  expect((await post(mcpUrl, { authorization: "Bearer wrong" })).status).toBe(401)
  expect((await post(mcpUrl, { authorization: `Bearer ${token}` })).status).toBe(403)
  expect((await fetch(mcpUrl, { method: "POST", body: "{}" })).status).toBe(401)
  await expect(connect(transportTo(mcpUrl, "wrong"))).rejects.toThrow(/invalid_token/)
})

test("A page of another origin is refused, also one that its own name has led here.", async () => {
  const { mcpUrl, server, sessionId } = await createBench()
  expect((await post(mcpUrl, { origin: "https://evil.example" })).status).toBe(403)
  const rebound = new Request(`http://evil.example/v1/sessions/${sessionId}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${API_KEY}`, host: "evil.example", origin: "http://evil.example", "content-type": "application/json" },
    body: JSON.stringify(initialize),
  })
  // Asked past `serve`, which has a check of its own: as where a framework mounts the handler.
  const refused = await server.fetch(rebound)
  expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: "host_not_allowed" } }])
})

test("Where the server says by which names it is addressed, those are the endpoint's too, unless it has its own.", async () => {
  const ask = async (bench: Awaited<ReturnType<typeof createBench>>, host: string): Promise<number> => {
    const headers = { authorization: `Bearer ${API_KEY}`, host, "content-type": "application/json", accept: "application/json, text/event-stream" }
    const response = await bench.server.fetch(new Request(`http://${host}/v1/sessions/${bench.sessionId}/mcp`, { method: "POST", headers, body: JSON.stringify(initialize) }))
    await response.body?.cancel()
    return response.status
  }
  const named = await createBench({}, { allowedHosts: ["agents.example", "127.0.0.1"] })
  expect([await ask(named, "agents.example"), await ask(named, "localhost")]).toEqual([200, 403])
  const own = await createBench({ allowedHosts: ["mcp.example"] })
  expect([await ask(own, "mcp.example"), await ask(own, "localhost")]).toEqual([200, 403])
  const any = await createBench({ allowedHosts: "*" })
  expect(await ask(any, "anything.example")).toBe(200)
})

test("A session that is not there cannot be begun with.", async () => {
  const { url } = await createBench()
  const missing = await post(new URL(`${url}/v1/sessions/none/mcp`))
  expect([missing.status, await missing.json()]).toMatchObject([404, { error: { code: "session_not_found" } }])
})

test("An MCP session is its owner's: its id opens it on no other session, and ends with DELETE.", async () => {
  const first = await createBench()
  const transport: StreamableHTTPClientTransport = transportTo(first.mcpUrl)
  await connect(transport)
  const id = transport.sessionId ?? ""
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" }
  const { id: other } = await first.server.createSession()
  const elsewhere = new URL(`${first.url}/v1/sessions/${other}/mcp`)
  expect((await post(elsewhere, { "mcp-session-id": id }, ping)).status).toBe(404)
  const here = await post(first.mcpUrl, { "mcp-session-id": id }, ping)
  expect(here.status).toBe(200)
  await here.text()
  await transport.terminateSession()
  expect((await post(first.mcpUrl, { "mcp-session-id": id }, ping)).status).toBe(404)
  expect((await post(first.mcpUrl, {}, ping)).status).toBe(400)
  expect((await fetch(first.mcpUrl, { method: "PUT", headers: { authorization: `Bearer ${API_KEY}` } })).status).toBe(405)
})

test("At another process a client's MCP session is answered 404, and a client that initializes there has the same tools.", async () => {
  const first = await createBench()
  const other = createSessionServer({ apiKey: API_KEY, secret: "a secret of at least thirty-two bytes", endpoints: { mcp: mcpEndpoint() } })
  const { url, close } = await serve(other)
  onTestFinished(async () => {
    await other.close()
    await close()
  })
  const begun = await post(first.mcpUrl)
  await begun.text()
  const id = begun.headers.get("mcp-session-id") ?? ""
  const { id: sessionId } = await other.createSession()
  const elsewhere = new URL(`${url}/v1/sessions/${sessionId}/mcp`)
  const refused = await post(elsewhere, { "mcp-session-id": id }, { jsonrpc: "2.0", id: 2, method: "tools/list" })
  expect([refused.status, ((await refused.json()) as { error: { message: string } }).error.message]).toEqual([404, expect.stringContaining("initialize a new one")])
  const anew = transportTo(elsewhere)
  const { client } = await connect(anew)
  expect(anew.sessionId).not.toBe(id)
  expect((await client.listTools()).tools).toEqual([])
})

test("An MCP session that nobody asks or listens to is forgotten after half an hour, and one that is listened to is not.", async () => {
  const clock = createFakeClock()
  const { mcpUrl } = await createBench({ clock })
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" }
  const begin = async (): Promise<string> => {
    const response = await post(mcpUrl)
    await response.text()
    return response.headers.get("mcp-session-id") ?? ""
  }
  const [idle, listening] = [await begin(), await begin()]
  const stream = await fetch(mcpUrl, { headers: { authorization: `Bearer ${API_KEY}`, accept: "text/event-stream", "mcp-session-id": listening } })
  await clock.advance(MCP_IDLE_MS)
  const statusOf = async (id: string): Promise<number> => {
    const response = await post(mcpUrl, { "mcp-session-id": id }, ping)
    await response.text()
    return response.status
  }
  expect([await statusOf(idle), await statusOf(listening)]).toEqual([404, 200])
  await stream.body?.cancel()
})

test("A server that closes ends its MCP sessions and their streams.", async () => {
  const { mcpUrl, server } = await createBench()
  const transport = transportTo(mcpUrl)
  await connect(transport)
  const stream = await fetch(mcpUrl, { headers: { authorization: `Bearer ${API_KEY}`, accept: "text/event-stream", "mcp-session-id": transport.sessionId ?? "" } })
  // The client has the session's one stream.
  expect(stream.status).toBe(409)
  await server.close()
  expect((await post(mcpUrl)).status).toBe(503)
})

test("A server that stops tells a client the answer of the call that it waits for, before it closes.", async () => {
  const { page, mcpUrl, server } = await createBench()
  const running = createDeferred<void>()
  const gate = createDeferred<string>()
  page.addTool("slow", {
    description: "Slow.",
    parameters: { type: "object" },
    execute: () => {
      running.resolve()
      return gate.promise
    },
  })
  const { client, until } = await connect(transportTo(mcpUrl))
  await until("client__web__slow")
  const answer = client.callTool({ name: "client__web__slow", arguments: {} }, undefined, { timeout: 5_000 })
  await running.promise
  const stopped = server.drain()
  gate.resolve("in time")
  expect((await answer).content).toEqual([{ type: "text", text: "in time" }])
  await stopped
})
