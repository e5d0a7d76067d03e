import { describe, expect, it } from "vitest"
import { RemoteError } from "../../src/hub/index.ts"
import { createTestClient, forecastTool, untilStatus } from "./support/client.ts"
import { FORECAST, startHub } from "./support/hub.ts"

describe("a local remote", () => {
  it("is listed before the hub's and called in the same way, and the hub hears nothing of it", async () => {
    const { url, hub } = await startHub()
    const { client } = createTestClient(url)
    const events: unknown[] = []
    client.onEvent((event) => events.push(event))
    const notes = client.local.createToolClient("notes")
    notes.addTool("get_forecast", forecastTool(({ city }) => ({ city })))
    await notes.ready
    const weather = client.createToolClient("weather-service")
    weather.addTool("get_forecast", forecastTool(() => "sunny"))
    await weather.ready
    expect(await client.remotes()).toEqual([
      { remotename: "notes", ...FORECAST, isLocal: true },
      { remotename: "weather-service", ...FORECAST, isLocal: false },
    ])
    expect(await client.call("notes", "get_forecast", { city: "Rome" })).toEqual({ city: "Rome" })
    expect(hub.remotesOf("ada").list().map(({ remotename }) => remotename)).toEqual(["weather-service"])
    expect(events).toContainEqual({ action: "remote-connected", remotename: "notes" })
  })

  it("needs no connection", async () => {
    const { client } = createTestClient("ws://127.0.0.1:1/ws")
    const notes = client.local.createToolClient("notes")
    notes.addTool("echo", { description: "Echoes.", parameters: { type: "object" }, execute: (args) => args as object })
    await notes.ready
    expect(await client.call("notes", "echo", { a: [1] })).toEqual({ a: [1] })
    expect(client.state.status).toBe("connecting")
  })

  it("fails as a remote does", async () => {
    const { client, clock } = createTestClient("ws://127.0.0.1:1/ws")
    const notes = client.local.createToolClient("notes")
    notes.addTool("fail", { description: "Fails.", parameters: { type: "object" }, execute: () => ({ text: "no", is_error: true }) })
    notes.addTool("hang", { description: "Hangs.", parameters: { type: "object" }, execute: () => new Promise<string>(() => {}) })
    await notes.ready
    await expect(client.call("notes", "fail")).rejects.toMatchObject({ name: "RemoteError", code: "failed", message: "no" })
    await expect(client.call("notes", "nothing")).rejects.toMatchObject({ code: "no_function", message: "remote 'notes' has no function 'nothing'" })
    await expect(client.call("notes", "fail", { big: 1n })).rejects.toMatchObject({ code: "failed" })
    await expect(client.call("notes", "hang", {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" })

    const slow = client.call("notes", "hang")
    slow.catch(() => {})
    await clock.advance(30_000)
    // Shortly before, its signal has told the tool, and the model reads that.
    await expect(slow).rejects.toBeInstanceOf(RemoteError)

    const pending = client.call("notes", "hang")
    await client.local.deleteToolClient(notes)
    await expect(pending).rejects.toMatchObject({ code: "disconnected", message: "remote 'notes' disconnected before it answered" })
  })

  it("keeps its name while it is served, and whoever wanted it has it then", async () => {
    const { client } = createTestClient("ws://127.0.0.1:1/ws")
    const first = client.local.createToolClient("notes")
    await first.ready
    const second = client.local.createToolClient("notes")
    await expect(second.ready).rejects.toMatchObject({ code: "already_connected" })
    expect(second.state.status).toBe("failed")
    await client.local.deleteToolClient(first)
    await untilStatus(second, "serving")
  })

  it("sees its arguments as they were, whatever the caller does with them", async () => {
    const { client } = createTestClient("ws://127.0.0.1:1/ws")
    const notes = client.local.createToolClient("notes")
    notes.addTool("count", { description: "Counts.", parameters: { type: "object" }, execute: (args) => (args as { list: number[] }).list.length })
    await notes.ready
    const list = [1]
    const counted = client.call("notes", "count", { list })
    list.push(2)
    expect(await counted).toBe(1)
  })

  it("is over when the hub client is closed", async () => {
    const { client } = createTestClient("ws://127.0.0.1:1/ws")
    const notes = client.local.createToolClient("notes")
    await notes.ready
    await client.close()
    await untilStatus(notes, "left")
    expect(client.local.state.status).toBe("closed")
    expect(() => client.local.createToolClient("more")).toThrow(RemoteError)
  })
})
