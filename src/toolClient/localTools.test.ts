import { afterEach, describe, expect, it, vi } from "vitest"
import { createTestSession } from "../testing/createTestSession.ts"
import { RESULT_DEADLINE_MS } from "../wire/limits.ts"
import type { ToolClient } from "./toolClient.ts"

const NO_ARGUMENTS = { type: "object", properties: {} } as const

const greet = {
  description: "Greet somebody.",
  parameters: NO_ARGUMENTS,
  execute: (args: unknown) => `Hello ${(args as { name: string }).name}`,
}

const namesOf = (client: ToolClient): readonly string[] => [...client.local.current().keys()]

describe("a tool client's tools for callers within the page", () => {
  const onError = vi.fn()
  afterEach(() => {
    expect(onError.mock.calls).toEqual([])
    onError.mockClear()
  })

  it("are those that are declared, before any server knows of them", () => {
    const session = createTestSession({ isOpen: false, onError })
    const client = session.createToolClient("web")
    client.addTool("greet", greet)
    expect(namesOf(client)).toEqual(["greet"])
    expect(client.state.tools).toEqual([])
  })

  it("are the same object until something that is published changes, and whoever listens is told", () => {
    const session = createTestSession({ onError })
    const client = session.createToolClient("web")
    client.addTool("greet", greet)
    const before = client.local.current()
    const heard = vi.fn()
    const stop = client.local.subscribe(heard)
    client.addTool("greet", { ...greet, execute: () => "another" })
    expect(client.local.current()).toBe(before)
    client.addTool("greet", { ...greet, description: "Another." })
    expect(client.local.current()).not.toBe(before)
    client.removeTool("greet")
    expect(heard).toHaveBeenCalledTimes(3)
    expect(namesOf(client)).toEqual([])
    stop()
    client.addTool("greet", greet)
    expect(heard).toHaveBeenCalledTimes(3)
  })

  it("are called like any other, recorded with who called, and nothing of it goes to the server", async () => {
    const session = createTestSession({ onError })
    const client = session.createToolClient("web")
    client.addTool("greet", greet)
    await session.settle()
    const before = session.requests().length
    expect(await client.local.call("greet", { name: "Ada" }, { via: "webmcp" })).toEqual({ text: "Hello Ada", is_error: false })
    expect(client.state.calls).toMatchObject([{ tool: "greet", via: "webmcp", phase: "answered", arguments: { name: "Ada" } }])
    await session.callTool("greet", { name: "Bob" })
    expect(client.state.calls[1]).not.toHaveProperty("via")
    expect(session.requests().slice(before).map(({ type }) => type)).toEqual(["ack", "answer"])
  })

  it("answer while the server cannot be reached, and while it has refused the client", async () => {
    const session = createTestSession({ onError })
    session.failNext("register", 403)
    const client = session.createToolClient("web")
    client.addTool("greet", greet)
    await session.settle()
    expect(client.state.status).toBe("failed")
    expect(await client.local.call("greet", { name: "Ada" })).toEqual({ text: "Hello Ada", is_error: false })
  })

  it("are in line with those of the session where they are serial", async () => {
    const session = createTestSession({ onError })
    const client = session.createToolClient("web")
    const log: string[] = []
    client.addTool("work", {
      description: "Work.",
      parameters: NO_ARGUMENTS,
      concurrency: "serial",
      execute: async (args) => {
        const { name } = args as { name: string }
        log.push(`${name} begins`)
        await session.settle()
        log.push(`${name} ends`)
        return "done"
      },
    })
    await session.settle()
    await Promise.all([session.callTool("work", { name: "one" }), client.local.call("work", { name: "two" })])
    expect(log).toEqual(["one begins", "one ends", "two begins", "two ends"])
  })

  it("say so where nothing of that name is offered, and after the client has left", async () => {
    const session = createTestSession({ onError })
    const client = session.createToolClient("web")
    expect(await client.local.call("nothing", {})).toMatchObject({ is_error: true, text: expect.stringContaining('There is no tool "nothing"') })
    client.addTool("greet", greet)
    await session.settle()
    const heard = vi.fn()
    client.local.subscribe(heard)
    await session.deleteToolClient(client)
    expect(heard).toHaveBeenCalled()
    expect(namesOf(client)).toEqual([])
    expect(await client.local.call("greet", {})).toMatchObject({ is_error: true, text: expect.stringContaining("did not run") })
  })

  it.each(["at once", "later"])("are aborted by their caller %s", async (when) => {
    const session = createTestSession({ onError })
    const client = session.createToolClient("web")
    let signal: AbortSignal | undefined
    client.addTool("wait", {
      description: "Wait.",
      parameters: NO_ARGUMENTS,
      execute: (_args, call) => {
        signal = call.signal
        return new Promise<string>(() => {})
      },
    })
    const controller = new AbortController()
    if (when === "at once") controller.abort()
    const answer = client.local.call("wait", {}, { signal: controller.signal })
    await session.settle()
    controller.abort()
    expect(await answer).toMatchObject({ is_error: true, text: expect.stringContaining("gave it up") })
    if (when === "later") expect(signal?.aborted).toBe(true)
    else expect(signal).toBeUndefined()
    expect(client.state.calls).toMatchObject([{ phase: "failed" }])
  })

  it("are aborted when the client is deleted, and at the deadline", async () => {
    const session = createTestSession({ onError })
    const client = session.createToolClient("web")
    client.addTool("wait", { description: "Wait.", parameters: NO_ARGUMENTS, execute: () => new Promise<string>(() => {}) })
    await session.settle()
    const late = client.local.call("wait", {})
    await session.settle()
    await session.clock.advance(RESULT_DEADLINE_MS)
    expect(await late).toMatchObject({ is_error: true, text: expect.stringContaining("deadline") })
    const deleted = client.local.call("wait", {})
    await session.settle()
    await session.deleteToolClient(client)
    expect(await deleted).toMatchObject({ is_error: true, text: expect.stringContaining("was deleted") })
  })
})
