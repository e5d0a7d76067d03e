// @vitest-environment jsdom
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import type { ComponentType } from "react"
import { createHubClient, type HubClient } from "react-tool-client/hub"
import { HubProvider } from "react-tool-client/hub/react"
import type { HubServer } from "react-tool-client/server"
import { afterEach, beforeAll, expect, it, onTestFinished, vi } from "vitest"

// What the page leaves to its reader.
const users: Readonly<Record<string, string>> = { "token of ada": "ada" }
vi.stubGlobal("userOfToken", (token: string) => Promise.resolve(users[token] ?? null))
vi.stubGlobal("tokenOfPerson", () => Promise.resolve("token of ada"))

let http: Server
let hubUrl: string

beforeAll(async () => {
  vi.stubEnv("PORT", "0")
  const server = (await import("docs:docs/guides/hub.md/hubServer.ts")) as { http: Server; hub: HubServer }
  http = server.http
  if (!http.listening) await new Promise((resolve) => http.once("listening", resolve))
  hubUrl = `ws://localhost:${(http.address() as AddressInfo).port}/ws`
  return async () => {
    await server.hub.close()
    http.closeAllConnections()
    http.close()
  }
})

afterEach(cleanup)

/** The page's Weather, on the origin of its hub as behind Vite's proxy. */
async function renderWeather(): Promise<void> {
  const { fetch } = globalThis
  const origin = hubUrl.replace("ws:", "http:").replace("/ws", "")
  vi.stubGlobal("location", { origin, href: `${origin}/` })
  vi.stubGlobal("fetch", (input: string, init?: RequestInit) => fetch(new URL(input, origin), init))
  const { Weather, hub } = (await import("docs:docs/guides/hub.md/Weather.tsx")) as { Weather: ComponentType; hub: HubClient }
  onTestFinished(() => hub.close())
  render(<Weather />)
  await screen.findByText("Serving")
}

it("docs/guides/hub.md: a page serves a remote, which a process lists and calls, and a component of another page", async () => {
  await renderWeather()
  vi.stubEnv("HUB_URL", hubUrl)
  vi.stubEnv("HUB_TOKEN", "token of ada")
  const print = vi.spyOn(console, "log").mockReturnValue()
  onTestFinished(() => print.mockRestore())
  await import("docs:docs/guides/hub.md/caller.ts")
  expect(print.mock.calls).toEqual([["weather-service", "get_forecast", "The weather in a city."], [{ city: "Rome", celsius: 20 }]])

  const other = createHubClient({ url: hubUrl, auth: { token: "token of ada" } })
  onTestFinished(() => other.close())
  const { Forecast } = (await import("docs:docs/guides/hub.md/Forecast.tsx")) as { Forecast: ComponentType }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <HubProvider hub={other}>
        <Forecast />
      </HubProvider>
    </QueryClientProvider>,
  )
  const button = await screen.findByRole<HTMLButtonElement>("button")
  await vi.waitFor(() => expect(button.disabled).toBe(false))
  fireEvent.click(button)
  await screen.findByText('{"city":"Rome","celsius":20}')
})

it("docs/guides/hub.md: an agent at the hub is prompted, and has the remote's functions as its tools", async () => {
  const asked: unknown[] = []
  vi.stubGlobal("askModel", (instruction: string, tools: readonly { readonly name: string }[]) => {
    asked.push(instruction, tools.map(({ name }) => name))
    return Promise.resolve({ tool: "get_forecast", args: { city: "Rome" } })
  })
  const { hub } = (await import("docs:docs/guides/hub.md/agentHub.ts")) as { hub: HubServer }
  const server = createServer()
  await hub.attach(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(async () => {
    await hub.close()
    server.close()
  })
  const client: HubClient = createHubClient({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`, auth: { token: "token of ada" } })
  onTestFinished(() => client.close())
  const weather = client.createToolClient("weather-service")
  weather.addTool("get_forecast", { description: "The weather in a city.", parameters: { type: "object" }, execute: () => "Rain, all day." })
  await weather.ready
  const { ask } = (await import("docs:docs/guides/hub.md/ask.ts")) as { ask: (hub: HubClient) => Promise<unknown> }
  const warn = vi.spyOn(console, "warn").mockReturnValue() // "palette" is not there
  onTestFinished(() => warn.mockRestore())
  expect(await ask(client)).toBe("Rain, all day.")
  expect(asked).toEqual(["Will I need an umbrella in Rome?", ["get_forecast"]])
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("palette"))
})
