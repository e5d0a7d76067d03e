import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render, screen, waitFor } from "@testing-library/react"
import { useState } from "react"
import { useTool, useToolClient, useToolClientState } from "react-tool-client"
import { createHubClient } from "react-tool-client/hub"
import { HubProvider, useHub } from "react-tool-client/hub/react"
import { useAction, useRemotes } from "react-tool-client/query"
import { createActionClient, createItemStore, Sandbox, ToolInterrupt } from "react-tool-client/tools"
import { afterEach, describe, expect, inject, it, onTestFinished } from "vitest"
import { z } from "zod"

const { hostUrl, hubUrl } = inject("loopback")
const logger = { debug() {}, info() {}, warn() {}, error() {} }

afterEach(cleanup)

describe("an action host of another origin, over real requests", () => {
  const connect = async () => {
    const client = createActionClient({ baseUrl: hostUrl, headers: { "x-tenant": "acme" } })
    return { client, tools: client.toTools(await client.manifest()) }
  }

  it("gives results, refusals, failures and items", async () => {
    const { tools } = await connect()
    const items = createItemStore([{ type: "note", text: "first" }])
    expect(await tools.demoAdd?.execute({ a: 1 }, { logger })).toEqual({ sum: 11 })
    await expect(tools.demoAdd?.execute({ a: "one" }, { logger })).rejects.toMatchObject({ code: "invalid_input", issues: [{ path: ["a"] }] })
    await expect(tools.demoFail?.execute({}, { logger, items })).rejects.toMatchObject({ code: "failed", message: expect.stringContaining("the disk is full") })
    expect(await tools.demoRemember?.execute({ text: "second" }, { logger, items })).toEqual({ before: "about to fail", count: 3 })
    expect(items.list("note").map(({ text }) => text)).toEqual(["first", "about to fail", "second"])
  })

  it("interrupts, and goes on with the answer", async () => {
    const { tools } = await connect()
    const interrupt = await tools.demoBuy?.execute({ thing: "tea" }, { logger }).catch((thrown: unknown) => thrown)
    expect(interrupt).toBeInstanceOf(ToolInterrupt)
    const { state } = interrupt as ToolInterrupt
    expect(await tools.demoBuy?.execute({ thing: "tea" }, { logger, resumption: { state, answer: "Ann" } })).toEqual({ bought: "tea#1", by: "Ann" })
  })

  it("hears of an abort", async () => {
    const { tools } = await connect()
    const before = (await tools.seenAborted?.execute({}, { logger })) as number
    const controller = new AbortController()
    const running = tools.demoWait?.execute({}, { logger, signal: controller.signal })
    setTimeout(() => controller.abort(), 100)
    await expect(running).rejects.toMatchObject({ code: "aborted", tool: "demo.wait" })
    await waitFor(async () => expect(await tools.seenAborted?.execute({}, { logger })).toBe(before + 1), { timeout: 5_000 })
  })

  it("is called by a script", async () => {
    const { tools } = await connect()
    const sandbox = new Sandbox({ actions: tools })
    expect(await sandbox.run("(await demoAdd({ a: 1, b: 2 })).sum", { logger })).toEqual({ status: "completed", value: 3 })
  })

  it("is called by a component, with its interrupt in the state", async () => {
    const { client } = await connect()
    function Shop() {
      const { state, run } = useAction(client, "demoBuy")
      if (state.status === "interrupted") return <button onClick={() => state.resume("Bob")}>{state.interrupt.message}</button>
      return <button onClick={() => run({ thing: "tea" })}>{state.status === "completed" ? JSON.stringify(state.data) : state.status}</button>
    }
    render(<QueryClientProvider client={new QueryClient()}><Shop /></QueryClientProvider>)
    screen.getByText("idle").click()
    ;(await screen.findByText("Buy tea?")).click()
    await screen.findByText('{"bought":"tea#1","by":"Bob"}')
  })
})

describe("a hub of another origin, over the browser's own WebSocket", () => {
  const connect = (user: string) => {
    const hub = createHubClient({ url: hubUrl, auth: { token: user } })
    onTestFinished(() => hub.close())
    return hub
  }

  function Notes() {
    const client = useToolClient(useHub(), "notes")
    const { status } = useToolClientState(client)
    const [notes, setNotes] = useState<readonly string[]>([])
    useTool(client, "add", {
      description: "Adds a note.",
      schema: z.object({ text: z.string() }),
      execute({ text }) {
        setNotes((all) => [...all, text])
        return { count: notes.length + 1 }
      },
    })
    return <p>{[status, ...notes].join(" ")}</p>
  }

  it("is served by a page, and called by another session", async () => {
    const agent = connect("ann")
    render(<HubProvider hub={connect("ann")}><Notes /></HubProvider>)
    await screen.findByText("serving")
    expect(await agent.remotes()).toMatchObject([{ remotename: "notes", name: "add", isLocal: false }])
    expect(await agent.call("notes", "add", { text: "milk" })).toEqual({ count: 1 })
    await screen.findByText("serving milk")
    expect(await agent.call("notes", "add", { text: "tea" })).toEqual({ count: 2 })
    await expect(agent.call("notes", "add", { text: 7 })).rejects.toMatchObject({ code: "failed", message: expect.stringContaining("text") })
    expect(await connect("eve").remotes()).toEqual([])
  })

  it.each([
    ["its path is wrong", `${hubUrl}s`, "A server answers there. Likely the path of the url"],
    ["nobody is there", "ws://127.0.0.1:9/ws", "nobody answers a plain request of the same address"],
  ])("is told of at once where %s, though the browser says nothing", async (_what, url, text) => {
    const hub = createHubClient({ url, auth: { token: "ann" }, onError() {} })
    onTestFinished(() => hub.close())
    hub.subscribe(() => {})
    await waitFor(() => expect(hub.state).toMatchObject({ status: "reconnecting", error: { code: "network", message: expect.stringContaining(text) } }))
  })

  it("is watched by a component", async () => {
    const hub = connect("bob")
    const other = connect("bob")
    function List() {
      const { data = [] } = useRemotes(hub)
      return <p>{`offered: ${data.map(({ name }) => name).join()}`}</p>
    }
    render(<QueryClientProvider client={new QueryClient()}><List /></QueryClientProvider>)
    await screen.findByText("offered:")
    const weather = other.createToolClient("weather")
    weather.addTool("get_forecast", { description: "Forecast.", parameters: { type: "object" }, execute: () => "sunny" })
    await screen.findByText("offered: get_forecast")
    await other.deleteToolClient(weather)
    await screen.findByText("offered:")
  })
})
