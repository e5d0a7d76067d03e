import { createActionClient, createActionHost, createItemStore, type Manifest, readManifest, type StaleTypes, type Tool, ToolError } from "react-tool-client/tools"
import type { RequestListener } from "node:http"
import { describe, expect, it, vi } from "vitest"
import { createDemo } from "./support/demoProviders.ts"
import { quiet, rejection, toolOf } from "./support/maps.ts"
import { serve, serveNode } from "./support/serve.ts"

const context = { logger: quiet }

const manifest: Manifest = {
  format: 1,
  version: "v1",
  providers: [
    { id: "p", name: "P", actions: [{ id: "a", functionName: "pA", name: "A", input: { type: "object" }, output: { type: "number" } }], entities: [], events: [] },
  ],
}

/** A tool whose host answers as it is told. */
async function toolAt(listener: RequestListener, options = {}): Promise<Tool> {
  const client = createActionClient({ baseUrl: await serveNode(listener), ...options })
  return toolOf(client.toTools(manifest), "pA")
}

describe("a host that is none", () => {
  const answers: [string, RequestListener, object][] = [
    ["HTML", (_, to) => to.setHeader("content-type", "text/html").end("<!doctype html><p>Hello"), { code: "bad_response", message: expect.stringContaining("<!doctype html>") }],
    ["HTML with 404", (_, to) => to.writeHead(404).end("<h1>Not found"), { code: "bad_response", message: expect.stringContaining("404") }],
    ["HTML with 401", (_, to) => to.writeHead(401).end("<h1>Who?"), { code: "unauthorized" }],
    ["HTML with 403", (_, to) => to.writeHead(403).end(""), { code: "forbidden", message: expect.stringContaining("(nothing)") }],
    ["JSON of its own with 502", (_, to) => to.writeHead(502).end('{"message":"bad gateway"}'), { code: "bad_response" }],
    ["an error of a code that nobody knows", (_, to) => to.writeHead(500).end('{"error":{"code":"odd","message":"x"}}'), { code: "bad_response", issues: [{ path: ["error", "code"] }] }],
    ["no envelope", (_, to) => to.end('{"result":1}'), { code: "bad_response", issues: [{ path: ["status"] }] }],
    ["items that are none", (_, to) => to.end('{"status":"completed","result":1,"items":[1]}'), { code: "bad_response", issues: [{ path: ["items", 0] }] }],
    ["an output that breaks its schema", (_, to) => to.end('{"status":"completed","result":"one","items":[]}'), { code: "invalid_output", issues: [{ path: [] }] }],
    ["half a body", (_, to) => to.writeHead(200, { "content-length": "100" }).write("{", () => to.destroy()), { code: "network", message: expect.stringContaining("may have run") }],
    ["half a chunk", (_, to) => void to.write('{"status"', () => to.destroy()), { code: "network" }],
    ["nothing", (from) => from.socket.destroy(), { code: "network" }],
  ]

  it.each(answers)("answers %s", async (_what, listener, expected) => {
    const tool = await toolAt(listener)
    const error = await rejection(tool.execute({}, context))
    expect(error).toBeInstanceOf(ToolError)
    expect(error).toMatchObject({ tool: "p.a", ...expected })
  })

  it("is not there", async () => {
    const client = createActionClient({ baseUrl: "http://127.0.0.1:1" })
    expect(await rejection(client.manifest())).toMatchObject({ code: "network", tool: "", message: expect.stringContaining("http://127.0.0.1:1/api/client/schema") })
  })

  it("gives a page instead of a manifest", async () => {
    const baseUrl = await serveNode((_, to) => to.end("<!doctype html>"))
    expect(await rejection(createActionClient({ baseUrl }).manifest())).toMatchObject({ code: "bad_response", message: expect.stringContaining("baseUrl") })
  })
})

describe("a manifest", () => {
  /** The manifest with something else, or nothing, at one path. */
  function change(path: readonly (string | number)[], value?: unknown): unknown {
    const at = (node: unknown, [key, ...rest]: readonly (string | number)[]): unknown => {
      if (key === undefined) return value
      if (Array.isArray(node)) return Object.assign([...(node as unknown[])], { [key]: at(node[Number(key)], rest) })
      return { ...(node as object), [key]: at((node as Record<string, unknown>)[key], rest) }
    }
    return JSON.parse(JSON.stringify(at(manifest, path)))
  }
  const action = ["providers", 0, "actions", 0]

  const refused: [what: string, value: unknown, code: string, text: string][] = [
    ["of a later format", change(["format"], 2), "bad_manifest", "the format 2"],
    ["of no format", change(["format"]), "bad_manifest", "format"],
    ["without its version", change(["version"]), "bad_manifest", "version"],
    ["that is a list", [], "bad_manifest", "(root)"],
    ["that is null", null, "bad_manifest", "(root)"],
    ["with an action without its input", change([...action, "input"]), "bad_manifest", "providers[0].actions[0].input"],
    ["with a schema that is a text", change([...action, "output"], "number"), "bad_manifest", "providers[0].actions[0].output"],
    ...["constructor", "__proto__", "2nd", "über", "a b", "a.b", "eval", "", "a-b", "then"].map(
      (name): [string, unknown, string, string] => [
        `with an action called ${JSON.stringify(name)}`,
        change([...action, "functionName"], name),
        "bad_name",
        "providers[0].actions[0].functionName",
      ],
    ),
    ["with two actions of one name", change(["providers", 0, "actions", 1], manifest.providers[0]?.actions[0]), "bad_name", "providers[0].actions[1].functionName"],
  ]

  it.each(refused)("%s is refused with the path", async (_what, value, code, text) => {
    expect(await rejection(readManifest(value))).toMatchObject({ code, message: expect.stringContaining(text) })
  })

  it("of another version than the types is told of once, at each reading", async () => {
    const { registry } = createDemo()
    const baseUrl = await serve(createActionHost({ registry, authorize: "anyone", logger: quiet }).fetch)
    const stale: StaleTypes[] = []
    const { version } = await createActionClient({ baseUrl, version: "old", onStale: (versions) => stale.push(versions) }).manifest()
    expect(stale).toEqual([{ expected: "old", actual: version }])
    await createActionClient({ baseUrl, version, onStale: (versions) => stale.push(versions) }).manifest()
    expect(stale).toHaveLength(1)
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    await createActionClient({ baseUrl, version: "old" }).manifest()
    expect(warn.mock.calls).toEqual([[expect.stringContaining("react-tool-client types")]])
    warn.mockRestore()
  })
})

describe("a call of a client", () => {
  const setUp = async (options = {}) => {
    const { registry, seen } = createDemo()
    const requests: { readonly headers: Headers; readonly url: string; readonly body: string }[] = []
    const host = createActionHost({ registry, authorize: "anyone", logger: quiet })
    const baseUrl = await serve(async (request) => {
      requests.push({ headers: request.headers, url: request.url, body: await request.clone().text() })
      return host.fetch(request)
    })
    const client = createActionClient({ baseUrl: `${baseUrl}/`, ...options })
    const tools = client.toTools(await client.manifest())
    requests.length = 0
    return { seen, requests, run: (name: string, input: unknown, more = {}) => toolOf(tools, name).execute(input, { ...context, ...more }) }
  }

  it("is one POST of JSON, with the client's headers and a key of its own", async () => {
    let count = 0
    const { run, requests } = await setUp({ headers: () => Promise.resolve({ authorization: `Bearer ${++count}` }) })
    await run("demoAdd", { a: 1 })
    await run("demoAdd", { a: 1 }, { items: createItemStore([{ type: "note" }]) })
    expect(requests.map(({ url, body }) => [new URL(url).pathname, JSON.parse(body)])).toEqual([
      ["/api/client/actions/demoAdd", { input: { a: 1 } }],
      ["/api/client/actions/demoAdd", { input: { a: 1 }, items: [{ type: "note" }] }],
    ])
    const keys = requests.map(({ headers }) => headers.get("idempotency-key"))
    expect(new Set(keys).size).toBe(2)
    expect(requests.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer 2", "Bearer 3"])
  })

  it("does not leave when the input is refused here", async () => {
    const { run, requests } = await setUp()
    expect(await rejection(run("demoAdd", {}))).toMatchObject({ code: "invalid_input", issues: [{ path: ["a"] }] })
    expect(await rejection(run("demoEcho", { value: 1n }))).toMatchObject({ code: "invalid_input", issues: [{ path: ["input", "value"] }] })
    expect(requests).toEqual([])
  })

  it("is sent again with its key when its answer was lost, and runs once", async () => {
    const { registry, seen } = createDemo()
    const host = createActionHost({ registry, authorize: "anyone", logger: quiet })
    const keys: (string | null)[] = []
    const lossy = (async (url: string, init: RequestInit) => {
      const response = await host.fetch(new Request(url, init))
      keys.push(new Headers(init.headers).get("idempotency-key"))
      if (init.method === "POST" && keys.length < 4) throw new TypeError("fetch failed")
      return response
    }) as typeof fetch
    const toolOn = async (retries: number) => {
      const client = createActionClient({ baseUrl: "http://host.test", fetch: lossy, retries })
      return toolOf(client.toTools(await client.manifest()), "demoAdd")
    }
    expect(await rejection((await toolOn(0)).execute({ a: 1 }, context))).toMatchObject({ code: "network" })
    keys.length = 0
    seen.calls.length = 0
    const tool = await toolOn(2)
    expect(await tool.execute({ a: 1 }, context)).toEqual({ sum: 11 })
    expect(keys[1]).not.toBeNull()
    expect(keys.slice(1)).toEqual([keys[1], keys[1], keys[1]])
    expect(seen.calls).toHaveLength(1)
  })
})

describe("a client that is set up wrongly", () => {
  it.each([
    [undefined, "needs a baseUrl"],
    [{ baseUrl: 5 }, "needs a baseUrl"],
    [{ baseUrl: "http://host.test", retries: Number.NaN }, "retries must be a whole number from 0 on, not NaN"],
    [{ baseUrl: "http://host.test", retries: Infinity }, "retries must be a whole number from 0 on, not Infinity"],
    [{ baseUrl: "http://host.test", fetch: "me" }, "fetch must be a function"],
  ])("is refused at once: %j", (options, text) => {
    expect(() => createActionClient(options as never)).toThrow(text)
    expect(() => createActionClient(options as never)).toThrow(TypeError)
  })

  it("says that nothing was sent where its headers cannot be had", async () => {
    const headers = () => Promise.reject(new Error("signed out"))
    const client = createActionClient({ baseUrl: "http://host.test", headers })
    const expected = { code: "failed", message: expect.stringMatching(/nothing was sent.*signed out/) }
    expect(await rejection(client.manifest())).toMatchObject(expected)
    expect(await rejection(toolOf(client.toTools(manifest), "pA").execute({}, context))).toMatchObject({ ...expected, tool: "p.a" })
  })

  it("makes tools of nothing but a manifest", () => {
    const { toTools } = createActionClient({ baseUrl: "http://host.test" })
    for (const given of [null, {}, { providers: 5 }]) expect(() => toTools(given as never)).toThrow(ToolError)
  })
})
