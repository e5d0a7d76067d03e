import { createTestSession } from "react-tool-client/testing"
import { pageTool, type ToolClient } from "react-tool-client"
import { fromPageTools, Sandbox, toPageTools, type ToPageToolsOptions } from "react-tool-client/tools"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { MAPS, quiet, rejection, toolOf } from "./support/maps.ts"

// In development a page's console tells of each tool that threw.
beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {})
  vi.spyOn(console, "error").mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())

describe.each(MAPS)("a page that offers tools which run $where", ({ create }) => {
  const setUp = async (options: ToPageToolsOptions = {}) => {
    const { tools, seen } = await create()
    const session = createTestSession()
    const client: ToolClient = session.createToolClient("web")
    await client.ready
    for (const [name, tool] of Object.entries(toPageTools(tools, { logger: quiet, ...options }))) client.addTool(name, tool)
    await session.settle()
    return { session, seen, client }
  }

  it("publishes their names, descriptions and schemas", async () => {
    const { session } = await setUp()
    expect(session.published("web").find(({ name }) => name === "demoAdd")).toEqual({
      name: "demoAdd",
      title: "Add",
      description: "Adds two numbers.",
      parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number", default: 10 } }, required: ["a"] },
      output: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"], additionalProperties: false },
    })
  })

  it("answers with their results, transformed once, and with their refusals and errors", async () => {
    const { session } = await setUp()
    expect(await session.callTool("demoAdd", { a: 1 })).toMatchObject({ text: '{"sum":11}', is_error: false })
    expect(await session.callTool("demoShout", { text: "four" })).toMatchObject({ text: '{"times":4}', is_error: false })
    expect(await session.callTool("demoAdd", { a: "x" })).toMatchObject({ text: expect.stringContaining("its input was refused: a: "), is_error: true })
    expect(await session.callTool("demoFail")).toMatchObject({ text: expect.stringContaining("the disk is full"), is_error: true })
  })

  it("asks by onInterrupt, and goes on with the answer", async () => {
    const asked: unknown[] = []
    const { session } = await setUp({
      onInterrupt({ tool, interrupt }) {
        asked.push([tool, interrupt.message, interrupt.data])
        return Promise.resolve("Ann")
      },
    })
    expect(await session.callTool("demoBuy", { thing: "tea" })).toMatchObject({ text: '{"bought":"tea#1","by":"Ann"}', is_error: false })
    expect(asked).toEqual([["demoBuy", "Buy tea?", { price: 3 }]])
  })

  it("says of an interrupt that it asks nobody, or what asking came to", async () => {
    const { session } = await setUp()
    expect(await session.callTool("demoBuy", { thing: "tea" })).toMatchObject({ text: expect.stringContaining('"Buy tea?"'), is_error: true })
    const refusing = await setUp({ onInterrupt: () => Promise.reject(new Error("nobody is here")) })
    expect(await refusing.session.callTool("demoBuy", { thing: "tea" })).toMatchObject({ text: expect.stringContaining("nobody is here"), is_error: true })
  })

  it("aborts the tool when the server cancels the call", async () => {
    const { session, seen } = await setUp()
    const begun = new Promise<void>((resolve) => Object.assign(seen, { onWaiting: resolve }))
    const running = rejection(session.callTool("demoWait", {}, { callId: "c1" }))
    await begun
    const stopped = new Promise((resolve) => seen.waiting[0]?.addEventListener("abort", resolve))
    session.cancelCall("c1")
    await stopped
    expect(await running).toMatchObject({ message: expect.stringContaining("cancelled") })
  })
})

describe("a page's tools as a map", () => {
  const tools = fromPageTools({
    greet: pageTool({
      description: "Greets.",
      title: "Greet",
      schema: z.object({ name: z.string().transform((name) => name.length) }),
      output: z.object({ text: z.string() }),
      execute: ({ name }) => ({ text: `${name}` }),
    }),
    parse: pageTool({
      description: "Parses.",
      parameters: { type: "object" },
      parse(args) {
        if (typeof args !== "object" || args === null || !("n" in args)) throw new Error("n is missing")
        return args as { n: number }
      },
      execute: ({ n }, call) => ({ n, tool: call.tool, deadline: call.deadline === Infinity }),
    }),
    fails: pageTool({ description: "Fails.", parameters: { type: "object" }, execute: () => ({ text: "not today", is_error: true as const }) }),
    odd: pageTool({ description: "Is odd.", parameters: { type: "object" }, execute: () => ({ deep: { at: [() => 1] } }) }),
    off: pageTool({ description: "Is off.", enabled: false, parameters: { type: "object" }, execute: () => 1 }),
  })
  const run = (name: string, input: unknown) => toolOf(tools, name).execute(input, { logger: quiet })

  it("has those that are enabled, with ids of the page", () => {
    expect(Object.entries(tools).map(([key, { id, name, description }]) => [key, id, name, description])).toEqual([
      ["greet", "page.greet", "Greet", "Greets."],
      ["parse", "page.parse", "parse", "Parses."],
      ["fails", "page.fails", "fails", "Fails."],
      ["odd", "page.odd", "odd", "Is odd."],
    ])
  })

  it("runs them with their own checks", async () => {
    expect(await run("greet", { name: "four" })).toEqual({ text: "4" })
    expect(await rejection(run("greet", { name: 4 }))).toMatchObject({ code: "invalid_input", tool: "page.greet", issues: [{ path: ["name"] }] })
    expect(await run("parse", { n: 1 })).toEqual({ n: 1, tool: "parse", deadline: true })
    expect(await rejection(run("parse", {}))).toMatchObject({ code: "invalid_input", message: expect.stringContaining("n is missing") })
  })

  it("rejects with the failure that a tool answers, and with the path of what is not JSON", async () => {
    expect(await rejection(run("fails", {}))).toMatchObject({ code: "failed", message: 'Tool "page.fails": not today' })
    expect(await rejection(run("odd", {}))).toMatchObject({ code: "invalid_output", issues: [{ path: ["deep", "at", 0] }] })
  })

  it("goes through a page and back, and into a script", async () => {
    const there = fromPageTools(toPageTools(tools))
    const sandbox = new Sandbox({ actions: there })
    expect(await sandbox.run('(await greet({ name: "four" })).text + (await parse({ n: 1 })).n', { logger: quiet })).toEqual({ status: "completed", value: "41" })
  })
})

describe("a tool client's tools as a map", () => {
  const setUp = async () => {
    const session = createTestSession()
    const client = session.createToolClient("web")
    client.addTool("greet", {
      description: "Greets.",
      title: "Greet",
      schema: z.object({ name: z.string().transform((name) => name.length) }),
      output: z.object({ length: z.number() }),
      execute: ({ name }) => ({ length: name }),
    })
    client.addTool("fails", { description: "Fails.", parameters: { type: "object" }, execute: () => ({ text: "not today", is_error: true as const }) })
    client.addTool("odd", {
      description: "Its schema cannot be checked elsewhere.",
      parameters: { type: "object", not: { required: ["x"] } },
      parse: (args) => args as { n: number },
      execute: ({ n }) => n,
    })
    await session.settle()
    return { session, client, tools: fromPageTools(client) }
  }

  it("are those that it offers at that moment, as they are published", async () => {
    const { client, tools } = await setUp()
    expect(Object.entries(tools).map(([key, { id, name, description }]) => [key, id, name, description])).toEqual([
      ["greet", "page.greet", "Greet", "Greets."],
      ["fails", "page.fails", "fails", "Fails."],
      ["odd", "page.odd", "odd", "Its schema cannot be checked elsewhere."],
    ])
    client.removeTool("odd")
    expect(Object.keys(fromPageTools(client, { prefix: "web" }))).toEqual(["greet", "fails"])
    expect(fromPageTools(client, { prefix: "web" }).greet?.id).toBe("web.greet")
  })

  it("run by the client's own way, with the handler of that moment, and stand among its calls", async () => {
    const { client, tools, session } = await setUp()
    expect(await toolOf(tools, "greet").execute({ name: "four" }, { logger: quiet })).toEqual({ length: 4 })
    expect(client.state.calls).toMatchObject([{ tool: "greet", via: "tools", arguments: { name: "four" }, phase: "answered" }])
    client.addTool("greet", { description: "Greets.", parameters: { type: "object" }, execute: () => "another" })
    expect(await toolOf(tools, "greet").execute({ name: "four" }, { logger: quiet })).toBe("another")
    client.removeTool("greet")
    expect(await rejection(toolOf(tools, "greet").execute({ name: "four" }, { logger: quiet }))).toMatchObject({
      code: "failed",
      message: expect.stringContaining('There is no tool "greet"'),
    })
    expect(session.requests("answer")).toEqual([])
  })

  it("refuse and fail with the codes of any tool", async () => {
    const { tools } = await setUp()
    const run = (name: string, input: unknown) => rejection(toolOf(tools, name).execute(input, { logger: quiet }))
    expect(await run("greet", { name: 4 })).toMatchObject({ code: "invalid_input", tool: "page.greet", issues: [{ path: ["name"] }] })
    expect(await run("fails", {})).toMatchObject({ code: "failed", message: 'Tool "page.fails": not today' })
    expect(await toolOf(tools, "odd").execute({ n: 7 }, { logger: quiet })).toBe(7)
  })

  it("are aborted by their caller, and what waits in them, too", async () => {
    const { client, session } = await setUp()
    let seen: AbortSignal | undefined
    client.addTool("wait", {
      description: "Waits.",
      parameters: { type: "object" },
      execute(_args, call) {
        seen = call.signal
        return new Promise<string>(() => {})
      },
    })
    const controller = new AbortController()
    const running = rejection(toolOf(fromPageTools(client), "wait").execute({}, { logger: quiet, signal: controller.signal }))
    await session.settle()
    controller.abort(new Error("enough"))
    expect(await running).toMatchObject({ code: "aborted", tool: "page.wait", cause: { message: "enough" } })
    expect(seen?.aborted).toBe(true)
  })
})
