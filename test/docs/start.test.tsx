// @vitest-environment jsdom
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { cleanup, render, screen } from "@testing-library/react"
import type { ComponentType } from "react"
import { resolveConfig, type UserConfig } from "vite"
import { afterEach, expect, it, onTestFinished, vi } from "vitest"

afterEach(cleanup)

it("docs/guides/start.md: the page takes its session from the server, whose curl line then adds an item", async () => {
  vi.stubEnv("PORT", "0")
  const print = vi.spyOn(console, "log").mockReturnValue()
  vi.spyOn(console, "warn").mockReturnValue() // the server's secret is a random one
  const { http } = (await import("docs:docs/guides/start.md/server.ts")) as { http: Server }
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  if (!http.listening) await new Promise((resolve) => http.once("listening", resolve))
  const backEnd = `http://localhost:${(http.address() as AddressInfo).port}`

  // In the place of Vite's proxy, by which page and server are of one origin.
  const { fetch } = globalThis
  vi.stubGlobal("location", { origin: backEnd })
  vi.stubGlobal("fetch", (input: string, init?: RequestInit) => fetch(new URL(input, backEnd), init))
  onTestFinished(() => void vi.unstubAllGlobals())
  const { default: App } = (await import("docs:docs/guides/start.md/App.tsx")) as { default: ComponentType }
  render(<App />)

  const line = await vi.waitFor(() => {
    const text = print.mock.calls.flat().find((text) => String(text).includes("curl"))
    expect(text).toBeDefined()
    return String(text)
  })
  const [path, authorization, type, body] = [/:0(\/v1[^"]+)/, /"Authorization: ([^"]+)/, /"Content-Type: ([^"]+)/, /-d '([^']+)/].map((part) => part.exec(line)?.[1] ?? "")
  const call = () => fetch(`${backEnd}${path}`, { method: "POST", headers: { authorization: authorization ?? "", "content-type": type ?? "" }, body: body ?? "" })
  // Until the page has registered there is no such tool.
  const answer = await vi.waitFor(async () => {
    const response = await call()
    expect(response.status).toBe(200)
    return (await response.json()) as object
  }, 10_000)
  expect(answer).toMatchObject({ text: 'Added "milk".', is_error: false })
  await screen.findByText("milk")

  cleanup()
  await vi.waitFor(async () => expect((await call()).status).toBe(404), 10_000)
})

it("docs/guides/start.md: Vite's server passes requests on with the page's own Host, or they would count as another origin's", async () => {
  const { default: config } = (await import("docs:docs/guides/start.md/vite.config.ts")) as { default: UserConfig }
  const { server } = await resolveConfig({ ...config, configFile: false, logLevel: "silent" }, "serve")
  const rules = Object.values(server.proxy ?? {})
  expect(rules).toHaveLength(2)
  for (const rule of rules) expect(rule).not.toBeTypeOf("string")
  for (const rule of rules) expect(rule).not.toHaveProperty("changeOrigin", true)
})

it("docs/guides/start.md: without a server the page offers its tool to the panel", async () => {
  const { default: App } = (await import("docs:docs/guides/start.md/LocalApp.tsx")) as { default: ComponentType }
  render(<App />)
  expect(await screen.findByRole("list")).toBeTruthy()
})
