// Hub remotes and providers' actions, served to the official MCP client as a session's tools are.
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { expect, test, vi } from "vitest"
import { createDeferred } from "../../src/lib/deferred.ts"
import { serve } from "../../src/server/index.ts"
import { actionSource, type AgentToolSource, mcpHandler, mcpServer, remoteSource } from "../../src/server/mcp/index.ts"
import { turn } from "../../src/lib/turn.ts"
import { createTestClient, forecastTool } from "../hub/support/client.ts"
import { startHub } from "../hub/support/hub.ts"
import { createDemo } from "../action/support/demoProviders.ts"
import { connect, transportTo } from "./support/createBench.ts"

/** An MCP client of what the source offers. */
async function clientOf(source: AgentToolSource) {
  const [near, far] = InMemoryTransport.createLinkedPair()
  await mcpServer(source).connect(far)
  return connect(near)
}

test("A user's remotes are served to an MCP client from the hub's process, and follow them as they come and go.", async () => {
  const { hub, url } = await startHub()
  const { client: page } = createTestClient(url)
  const { client, until } = await clientOf(remoteSource(hub.remotesOf("ada")))
  await until()
  const weather = page.createToolClient("weather", { lifetime: { type: "never" } })
  weather.addTool("get_forecast", forecastTool(({ city }) => (city === "Atlantis" ? { text: "There is no such city.", is_error: true } : { city, sky: "clear" })))
  await until("weather__get_forecast")
  const { tools } = await client.listTools()
  expect(tools[0]).toMatchObject({ description: "Retrieve weather forecast for a location.", inputSchema: { required: ["city"] } })
  expect(await client.callTool({ name: "weather__get_forecast", arguments: { city: "Rome" } })).toEqual({ content: [{ type: "text", text: '{"city":"Rome","sky":"clear"}' }] })
  expect(await client.callTool({ name: "weather__get_forecast", arguments: { city: "Atlantis" } })).toEqual({
    content: [{ type: "text", text: "There is no such city." }],
    isError: true,
  })
  await page.deleteToolClient(weather)
  await until()
  expect(await client.callTool({ name: "weather__get_forecast" })).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("Offered now: none") }] })
})

test("A hub's client serves what it can call, from a process of its own.", async () => {
  const { url } = await startHub()
  const { client: page } = createTestClient(url)
  const { client: agent } = createTestClient(url)
  const { client, until } = await clientOf(remoteSource(agent))
  const weather = page.createToolClient("weather", { lifetime: { type: "never" } })
  weather.addTool("get_forecast", forecastTool(({ city }) => `Clear in ${city}`))
  await until("weather__get_forecast")
  expect(await client.callTool({ name: "weather__get_forecast", arguments: { city: "Rome" } })).toEqual({ content: [{ type: "text", text: "Clear in Rome" }] })
})

test("Remotes whose names no model takes are called by names that it does, and kept apart.", async () => {
  const call = vi.fn((remotename: string, name: string) => Promise.resolve(`${remotename}/${name}`))
  const entry = (remotename: string, name: string) => ({ remotename, name, description: "", parameters: { type: "object" } })
  const source = remoteSource({ remotes: () => Promise.resolve([entry("my shop", "a.b"), entry("my_shop", "a_b")]), call, onEvent: () => () => {} })
  const names = (await source.tools()).map(({ name }) => name)
  expect(names).toEqual([expect.stringMatching(/^my_shop__a_b_\w{7}$/), "my_shop__a_b"])
  expect(await source.callTool(names[0] ?? "", {})).toEqual({ text: "my shop/a.b", is_error: false })
  expect(await source.callTool("my_shop__a_b", {})).toEqual({ text: "my_shop/a_b", is_error: false })
})

test.each<[string, Readonly<Record<string, unknown>>]>([
  ["a type that there is not", { type: "any" }],
  ["bounds of an older draft", { type: "string", minimum: 1, exclusiveMinimum: true }],
  ["a reference that leads nowhere", { $ref: "#/$defs/none" }],
  ["a reference to elsewhere", { $ref: "https://schemas.example/a" }],
  ["a pattern that is none", { type: "string", pattern: "(" }],
  ["names of properties that are no pattern", { type: "object", patternProperties: { "(": { type: "string" } }, additionalProperties: false }],
])("An output schema that no client can compile, for %s, does not take the other tools along.", async (_what, value) => {
  const offered = (name: string, output: object) => ({ name, description: "", parameters: { type: "object" }, output: { type: "object", properties: { value: output } } })
  const answer = { value: value.patternProperties ? { "(": "a" } : "a" }
  const source: AgentToolSource = {
    tools: () => Promise.resolve([offered("bad", value), offered("good", { type: "string" })]),
    callTool: () => Promise.resolve({ text: JSON.stringify(answer), is_error: false }),
    watchTools: () => () => {},
  }
  const [mine, theirs] = InMemoryTransport.createLinkedPair()
  await mcpServer(source).connect(mine)
  const { client } = await connect(theirs)
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["bad", "good"])
  expect(await client.callTool({ name: "bad" })).toMatchObject({ structuredContent: answer })
})

test("A remote's function is called by the same name whatever else is connected, and by one that a model takes however long its own is.", async () => {
  const entry = (remotename: string, name: string) => ({ remotename, name, description: "", parameters: { type: "object" } })
  const namesOf = async (...entries: ReturnType<typeof entry>[]) => {
    const source = remoteSource({ remotes: () => Promise.resolve(entries), call: () => Promise.reject(new Error("unused")), onEvent: () => () => {} })
    return (await source.tools()).map(({ name }) => name)
  }
  const [cat, dog] = [entry("r", `${"x".repeat(250)}.cat`), entry("r", `${"x".repeat(250)}.dog`)]
  const names = await namesOf(cat, dog)
  expect(new Set(names).size).toBe(2)
  for (const name of names) expect(name).toMatch(/^[\w-]{64}$/)
  expect(await namesOf(dog)).toEqual([names[1]])
  // Alike as they are: the later one gets a number.
  expect(await namesOf(entry("a__b", "c"), entry("a", "b__c"))).toEqual(["a__b__c", "a__b__c_2"])
})

test("A call of a remote that the MCP client cancels is waited for no longer.", async () => {
  const begun = createDeferred<void>()
  const source = remoteSource({
    remotes: () => Promise.resolve([{ remotename: "r", name: "f", description: "", parameters: { type: "object" } }]),
    call: () => {
      begun.resolve()
      return new Promise(() => {})
    },
    onEvent: () => () => {},
  })
  const controller = new AbortController()
  const call = source.callTool("r__f", {}, { signal: controller.signal })
  await begun.promise
  controller.abort()
  await expect(call).rejects.toMatchObject({ code: "aborted" })
})

test("Providers' actions are served to an MCP client, with their schemas and what they give.", async () => {
  const { registry, seen } = createDemo()
  const { client } = await clientOf(actionSource(await registry.toTools(), { userId: "ada" }))
  const { tools } = await client.listTools()
  const add = tools.find(({ title }) => title === "Add")
  expect(add).toMatchObject({ title: "Add", description: "Adds two numbers.", inputSchema: { type: "object", required: ["a"] }, outputSchema: { type: "object", required: ["sum"] } })
  const name = add?.name ?? ""
  expect(await client.callTool({ name, arguments: { a: 1 } })).toEqual({ content: [{ type: "text", text: '{"sum":11}' }], structuredContent: { sum: 11 } })
  expect(seen.calls).toMatchObject([{ action: "add", input: { a: 1, b: 10 }, userId: "ada" }])
  expect(await client.callTool({ name, arguments: { a: "one" } })).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("a: ") }] })
  const buy = tools.find(({ title }) => title === "Buy")?.name ?? ""
  expect(await client.callTool({ name: buy, arguments: { thing: "a cat" } })).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("Buy a cat?") }] })
  expect(await client.callTool({ name: "constructor" })).toMatchObject({ isError: true })
})

test("An action is told when the MCP client cancels its call.", async () => {
  const { registry, seen } = createDemo()
  const begun = createDeferred<void>()
  seen.onWaiting = () => begun.resolve()
  const source = actionSource(await registry.toTools())
  const wait = (await source.tools()).find(({ title }) => title === "Wait")?.name ?? ""
  const { client } = await clientOf(source)
  const controller = new AbortController()
  const call = client.callTool({ name: wait }, undefined, { signal: controller.signal })
  await begun.promise
  controller.abort("enough")
  await expect(call).rejects.toThrow("enough")
  await vi.waitFor(() => expect(seen.waiting[0]?.aborted).toBe(true))
})

test("Any source is served over HTTP, to whoever has the key, at loopback's own names alone.", async () => {
  const handler = mcpHandler(actionSource(await createDemo().registry.toTools()), { apiKey: "key", name: "actions" })
  const served = await serve(handler)
  const { client } = await connect(transportTo(new URL(`${served.url}/mcp`), "key"))
  expect((await client.listTools()).tools.length).toBeGreaterThan(0)
  await expect(connect(transportTo(new URL(`${served.url}/mcp`), "wrong"))).rejects.toThrow(/invalid_token/)
  const ask = (headers: Record<string, string>) => handler.fetch(new Request("http://127.0.0.1/mcp", { method: "POST", headers: { authorization: "Bearer key", ...headers }, body: "{}" }))
  expect((await ask({ host: "evil.example" })).status).toBe(403)
  expect((await ask({ host: "localhost:80", origin: "https://evil.example" })).status).toBe(403)
  expect((await ask({ host: "localhost:80" })).status).toBe(406)
  expect(() => mcpHandler(actionSource({}), { apiKey: "" })).toThrow(TypeError)
  await handler.close()
  await served.close()
})

test("However often a source says in one tick that its tools have changed, the MCP client is told once.", async () => {
  let tell: () => void = () => {}
  const source: AgentToolSource = {
    tools: () => Promise.resolve([]),
    callTool: () => Promise.reject(new Error("unused")),
    watchTools: (listener) => {
      tell = () => listener([])
      tell()
      return () => {
        tell = () => {}
      }
    },
  }
  const told = await clientOf(source)
  await turn()
  expect(told.changes).toBe(0)
  for (let times = 0; times < 5; times++) tell()
  await turn()
  await turn()
  expect(told.changes).toBe(1)
  await told.client.close()
  tell()
  await turn()
  expect(told.changes).toBe(1)
})

test("Progress that does not grow is not told to the MCP client, which takes none such, and none is told to one that did not ask.", async () => {
  const asked: boolean[] = []
  const { client } = await clientOf({
    tools: () => Promise.resolve([]),
    callTool(_name, _args, { onProgress } = {}) {
      asked.push(onProgress !== undefined)
      for (const done of [1, 0, 1, 3]) onProgress?.({ done })
      return Promise.resolve({ text: "done", is_error: false })
    },
    watchTools: () => () => {},
  })
  const told: number[] = []
  await client.callTool({ name: "any" }, undefined, { onprogress: ({ progress }) => told.push(progress) })
  await client.callTool({ name: "any" })
  expect([told, asked]).toEqual([[1, 3], [true, false]])
})
