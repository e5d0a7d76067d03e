import { act, cleanup, render, screen, waitFor } from "@testing-library/react"
import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { StrictMode, useEffect, useState } from "react"
import { renderToString } from "react-dom/server"
import { useSessionState, useTool, useToolClient, useToolClientState } from "react-tool-client"
import { HubProvider, useHub, useLocalRemote } from "react-tool-client/hub/react"
import { useRemoteCall, useRemotes } from "react-tool-client/query"
import { afterEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { createHubClient } from "../hub/hubClient.ts"
import { startHub } from "../../test/hub/support/hub.ts"
import { createTestClient, untilStatus } from "../../test/hub/support/client.ts"
import { startScriptedHub } from "../../test/hub/support/scriptedHub.ts"

afterEach(cleanup)

/** As with any session: nothing here knows that it is a hub. */
function Weather({ forecast = "sunny", withWind = false }: { readonly forecast?: string; readonly withWind?: boolean }) {
  const client = useToolClient(useHub(), "weather-service")
  const { status } = useToolClientState(client)
  useTool(client, "get_forecast", {
    description: "Retrieve weather forecast for a location.",
    schema: z.object({ city: z.string() }),
    execute: ({ city }) => ({ forecast, city }),
  })
  useTool(client, "get_wind", { description: "Wind.", parameters: { type: "object" }, enabled: withWind, execute: () => "none" })
  return <p>{status}</p>
}

function Notes() {
  const client = useLocalRemote("notes")
  const [notes, setNotes] = useState<readonly string[]>([])
  useTool(client, "add", {
    description: "Adds a note.",
    schema: z.object({ text: z.string() }),
    execute({ text }) {
      setNotes((all) => [...all, text])
      return { count: notes.length + 1 }
    },
  })
  return <ul>{notes.map((note) => <li key={note}>{note}</li>)}</ul>
}

function Remotes() {
  const hub = useHub()
  const { data = [] } = useRemotes(hub)
  const { mutate, data: result, error } = useRemoteCall(hub)
  return (
    <>
      <p data-testid="list">{data.map(({ remotename, name, isLocal }) => `${remotename}.${name}${isLocal ? " here" : ""}`).join(", ")}</p>
      <p data-testid="result">{error ? `${error.code}: ${error.message}` : JSON.stringify(result)}</p>
      <button onClick={() => mutate({ remotename: "weather-service", function: "get_forecast", args: { city: "Rome" } })}>call</button>
    </>
  )
}

describe.each([false, true])("the same hooks serve a remote (StrictMode: %s)", (isStrict) => {
  const wrap = (hub: ReturnType<typeof createHubClient>, ui: React.ReactNode) => {
    const tree = <HubProvider hub={hub}>{ui}</HubProvider>
    return isStrict ? <StrictMode>{tree}</StrictMode> : tree
  }

  it("of whatever was rendered last, update it, and disconnect it when they unmount", async () => {
    const { url, session } = await startHub()
    const { client: hub } = createTestClient(url)
    const agent = await session()
    const { rerender } = render(wrap(hub, <Weather />))
    await screen.findByText("serving")
    expect(await hub.call("weather-service", "get_forecast", { city: "Rome" })).toEqual({ forecast: "sunny", city: "Rome" })
    await expect(hub.call("weather-service", "get_forecast", { city: 7 })).rejects.toMatchObject({ message: expect.stringContaining("city") })

    rerender(wrap(hub, <Weather forecast="rain" />))
    expect(await hub.call("weather-service", "get_forecast", { city: "Rome" })).toEqual({ forecast: "rain", city: "Rome" })

    rerender(wrap(hub, <Weather forecast="rain" withWind />))
    expect(await agent.nextWhere((frame) => frame.action === "remote-updated")).toEqual({ action: "remote-updated", remotename: "weather-service" })
    expect((await hub.remotes()).map(({ name }) => name)).toEqual(["get_forecast", "get_wind"])

    rerender(wrap(hub, null))
    await agent.nextWhere((frame) => frame.action === "remote-disconnected")
    expect(await hub.remotes()).toEqual([])
  })

  it("within the page too, without a word on the wire", async () => {
    const { url, session } = await startHub()
    const { client: hub } = createTestClient(url)
    const watcher = await session()
    render(wrap(hub, <Notes />))
    await waitFor(() => expect(hub.local.state.status).toBe("open"))
    await waitFor(async () => expect(await hub.remotes()).toMatchObject([{ remotename: "notes", name: "add", isLocal: true }]))
    let result: unknown
    await act(async () => {
      result = await hub.call("notes", "add", { text: "milk" })
    })
    expect(result).toEqual({ count: 1 })
    expect(screen.getByText("milk")).toBeDefined()
    expect(await watcher.ask({ action: "remote-list", nonce: "l" })).toEqual({ remotes: [], nonce: "l" })
  })
})

describe("remotes as queries", () => {
  const show = (hub: ReturnType<typeof createHubClient>, ui: React.ReactNode) => (
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <HubProvider hub={hub}>{ui}</HubProvider>
    </QueryClientProvider>
  )

  it("are kept fresh by the hub's own traffic, and called by a mutation", async () => {
    const { url } = await startHub()
    const { client: hub } = createTestClient(url)
    const { client: other } = createTestClient(url)
    const { container } = render(show(hub, <><Remotes /><Notes /></>))
    const list = () => container.querySelector("[data-testid=list]")?.textContent
    const result = () => container.querySelector("[data-testid=result]")?.textContent
    await waitFor(() => expect(list()).toBe("notes.add here"))

    const weather = other.createToolClient("weather-service")
    weather.addTool("get_forecast", { description: "Forecast.", parameters: { type: "object" }, execute: () => "sunny" })
    await waitFor(() => expect(list()).toBe("notes.add here, weather-service.get_forecast"))
    act(() => screen.getByText("call").click())
    await waitFor(() => expect(result()).toBe('"sunny"'))

    await other.deleteToolClient(weather)
    await waitFor(() => expect(list()).toBe("notes.add here"))
    act(() => screen.getByText("call").click())
    await waitFor(() => expect(result()).toBe("not_connected: no connected remote named 'weather-service'"))
  })

  it("stay as they are while the hub is gone, without an error, and are asked for again when it is back", async () => {
    const scripted = await startScriptedHub()
    const { client: hub, clock } = createTestClient(scripted.url)
    const seen: string[] = []
    function List() {
      const { data = [], status } = useRemotes(hub)
      const line = `${status}: ${data.map(({ name }) => name).join(", ")}`
      useEffect(() => void seen.push(line), [line])
      return <p>{line}</p>
    }
    render(show(hub, <List />))
    const first = await scripted.accept()
    await first.reply("remote-list", { remotes: [{ name: "one", description: "One.", parameters: {} }] })
    await screen.findByText("success: one")
    // A list is under way when the socket is lost.
    first.send({ action: "remote-connected", remotename: "r" })
    await first.next("remote-list")
    first.socket.terminate()
    await untilStatus(hub, "reconnecting")
    await act(() => clock.advance(500))
    const second = await scripted.accept()
    const remotes = ["one", "two"].map((name) => ({ name, description: "It.", parameters: {} }))
    await second.reply("remote-list", { remotes })
    await screen.findByText("success: one, two")
    expect(seen).toEqual(["pending: ", "success: one", "success: one, two"])
  })

  it("share one watch, and ask once for all who look", async () => {
    const { url } = await startHub()
    const { client: hub } = createTestClient(url)
    const remotes = vi.spyOn(hub, "remotes")
    const { container } = render(show(hub, <><Remotes /><Remotes /><Remotes /></>))
    await waitFor(() => expect(remotes).toHaveBeenCalledTimes(1))
    await act(async () => void (await remotes.mock.results[0]?.value))
    const weather = hub.createToolClient("weather-service")
    weather.addTool("get_forecast", { description: "Forecast.", parameters: { type: "object" }, execute: () => "sunny" })
    await waitFor(() => expect(container.textContent).toContain("weather-service.get_forecast"))
    expect(remotes).toHaveBeenCalledTimes(2)
  })
})

it("renders on the server without a connection", () => {
  const WebSocket = vi.fn()
  const hub = createHubClient({ url: "/ws", auth: { token: "ada" }, WebSocket: WebSocket as never })
  function State() {
    return <p>{useSessionState(useHub(), ({ status }) => status)}</p>
  }
  expect(renderToString(<HubProvider hub={hub}><Weather /><Notes /><State /></HubProvider>)).toContain("connecting")
  expect(WebSocket).not.toHaveBeenCalled()
})

it("says what is missing outside of a provider", () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {})
  expect(() => render(<Weather />)).toThrow("useHub needs a <HubProvider hub={...}> above it.")
  expect(() => render(<Notes />)).toThrow("useLocalRemote needs a <HubProvider hub={...}> above it.")
  error.mockRestore()
})
