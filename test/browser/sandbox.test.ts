import { createElement, StrictMode, useEffect } from "react"
import { createRoot } from "react-dom/client"
import { createActionClient, createActionHost, defineAction, defineTool, ProviderRegistry, Sandbox, Services, type Tool, type ToolError, ToolInterrupt } from "react-tool-client/tools"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { LONG_OPERATIONS } from "../action/support/longOperations.ts"

const logger = { debug() {}, info() {}, warn() {}, error() {} }

const add = defineAction({
  id: "add",
  name: "Add",
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})
const buy = defineAction({
  id: "buy",
  name: "Buy",
  input: z.object({}),
  output: z.unknown(),
  execute(_input, { resumption }) {
    if (!resumption) throw new ToolInterrupt("Really?")
    return resumption.answer
  },
})
const registry = new ProviderRegistry({ providers: [{ id: "demo", name: "Demo", actions: [add, buy] }], services: new Services() })

const maps: { where: string; create(): Promise<Readonly<Record<string, Tool>>> }[] = [
  { where: "in process", create: () => registry.toTools() },
  {
    where: "behind a host",
    async create() {
      const { fetch } = createActionHost({ registry, authorize: "anyone", logger })
      const client = createActionClient({ baseUrl: "http://host.test", fetch: (url, init) => fetch(new Request(url, init)) })
      return client.toTools(await client.manifest())
    },
  },
]

describe.each(maps)("a sandbox in the browser whose actions run $where", ({ create }) => {
  it("runs a script that calls an action", async () => {
    const sandbox = new Sandbox({ actions: await create() })
    expect(await sandbox.run("await demoAdd({ a: 1, b: 2 })", { logger })).toEqual({ status: "completed", value: { sum: 3 } })
  })

  it("pauses at an interrupt and goes on with the answer", async () => {
    const sandbox = new Sandbox({ actions: await create() })
    const paused = await sandbox.run("`${await demoBuy()}!`", { logger })
    if (paused.status !== "interrupted") throw new Error("it did not pause")
    expect(paused.message).toBe("Really?")
    expect(await paused.resume("yes")).toEqual({ status: "completed", value: "yes!" })
  })

  it("keeps the page out of a script's reach, and stops one that never ends", async () => {
    const sandbox = new Sandbox({ actions: await create(), limits: { cpuMs: 100 } })
    expect(await sandbox.run("typeof window + typeof document + typeof fetch", { logger })).toMatchObject({ value: "undefinedundefinedundefined" })
    await expect(sandbox.run("for (;;) {}", { logger })).rejects.toMatchObject({ code: "limit" })
  })
})

describe("a sandbox in the browser", () => {
  const none = defineTool({ id: "none", name: "None", input: z.object({}), output: z.null(), execute: () => null })
  const actions = { none }
  const endless = "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)"

  it.each(LONG_OPERATIONS)("ends a script that does not come back from a built-in function, and the page's timers go on: %s", async (_what, code) => {
    const sandbox = new Sandbox({ actions, limits: { cpuMs: 100, memoryBytes: 2 ** 30 } })
    let ticks = 0
    const ticking = setInterval(() => ticks++, 10)
    await expect(sandbox.run(code, { logger })).rejects.toMatchObject({ code: "limit", message: expect.stringContaining("100 ms by itself") })
    clearInterval(ticking)
    expect(ticks).toBeGreaterThan(5)
    expect(await sandbox.run("await none()", { logger })).toEqual({ status: "completed", value: null })
  })

  it("runs two scripts at once, one of which never comes back", async () => {
    const sandbox = new Sandbox({ actions, limits: { cpuMs: 200 } })
    const stuck = expect(sandbox.run(endless, { logger })).rejects.toMatchObject({ code: "limit" })
    expect(await sandbox.run("await none()", { logger })).toEqual({ status: "completed", value: null })
    await stuck
  })

  it("gives a script that is aborted in the middle of it up at once", async () => {
    const controller = new AbortController()
    const sandbox = new Sandbox({ actions, limits: { cpuMs: 600_000 } })
    const running = sandbox.run(`console.log("now"); ${endless}`, { logger: { ...logger, info: () => controller.abort() }, signal: controller.signal })
    await expect(running).rejects.toMatchObject({ code: "aborted" })
  })

  it("keeps the worker out of a script's reach", async () => {
    const code = "['self', 'postMessage', 'onmessage', 'addEventListener', 'importScripts', 'close', 'WebAssembly', 'Worker', 'indexedDB'].filter((name) => name in globalThis)"
    expect(await new Sandbox({ actions }).run(code, { logger })).toEqual({ status: "completed", value: [] })
  })

  it("bears an effect that Strict Mode runs twice, and an unmount while it starts", async () => {
    const sandbox = new Sandbox({ actions })
    const results: unknown[] = []
    let tell: () => void
    const done = new Promise<void>((resolve) => (tell = resolve))
    function Runs() {
      useEffect(() => {
        const controller = new AbortController()
        sandbox.run("await none()", { logger, signal: controller.signal }).then(
          (result) => {
            results.push(result.status)
            tell()
          },
          (error: unknown) => results.push((error as ToolError).code),
        )
        return () => controller.abort()
      }, [])
      return null
    }
    const root = createRoot(document.createElement("div"))
    root.render(createElement(StrictMode, null, createElement(Runs)))
    await done
    expect(results).toEqual(["aborted", "completed"])
    root.unmount()
    expect(await sandbox.run("1", { logger })).toMatchObject({ value: 1 })
  })

  it.each([
    ["is not found", () => new Worker(new URL("/nowhere.js", location.href), { type: "module" })],
    ["is of another origin", () => new Worker("https://elsewhere.example/worker.js", { type: "module" })],
    ["throws", () => new Worker(URL.createObjectURL(new Blob(["throw new Error('at once')"])))],
  ])("says so and runs nothing where the worker %s", async (_what, worker) => {
    await expect(new Sandbox({ actions, worker }).run("1", { logger })).rejects.toMatchObject({ code: "no_worker", message: expect.stringContaining("react-tool-client/sandbox-worker") })
  })

  it("runs scripts in the page's own thread when it is told to", async () => {
    const sandbox = new Sandbox({ actions, worker: false, limits: { cpuMs: 50 } })
    expect(await sandbox.run("await none()", { logger })).toEqual({ status: "completed", value: null })
    await expect(sandbox.run("for (;;) {}", { logger })).rejects.toMatchObject({ code: "limit" })
  })
})
