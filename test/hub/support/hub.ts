import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { createHubServer, type HubServer, type HubServerOptions } from "../../../src/server/index.ts"
import { createFakeClock, type FakeClock } from "../../../src/testing/fakeClock.ts"
import { openRawSession, type RawSession } from "./rawSession.ts"

/** Tokens are user ids here; `mallory` is nobody. */
export const authenticate: HubServerOptions["authenticate"] = ({ token, username, password }) =>
  token !== undefined ? (token === "mallory" ? null : token) : password === "right" ? (username ?? null) : null

export interface TestHub {
  readonly hub: HubServer
  readonly clock: FakeClock
  readonly http: Server
  readonly url: string
  /** What the operator was told. */
  readonly log: readonly string[]
  open(options?: Parameters<typeof openRawSession>[1]): Promise<RawSession>
  /** An authenticated session. */
  session(token?: string): Promise<RawSession>
}

/** A hub on loopback, under a clock that stands still; gone when the test is. */
export async function startHub(options: Partial<HubServerOptions> = {}): Promise<TestHub> {
  const clock = createFakeClock()
  const log: string[] = []
  const logger = { warn: (message: string) => void log.push(message), error: (message: string) => void log.push(message) }
  const hub = createHubServer({ authenticate, clock, logger, ...options })
  const http = createServer()
  await hub.attach(http)
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/ws`
  onTestFinished(async () => {
    await hub.close()
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  })
  return {
    hub,
    clock,
    http,
    url,
    log,
    open: (socketOptions) => openRawSession(url, socketOptions),
    session: async (token) => (await openRawSession(url)).authenticate(token),
  }
}

export const FORECAST = {
  name: "get_forecast",
  description: "Retrieve weather forecast for a location.",
  parameters: { type: "object", properties: { city: { type: "string", description: "City name." } }, required: ["city"] },
}

export const connectWeather = { action: "remote-connect", body: { remotename: "weather-service", tools: [FORECAST] } }
export const callWeather = { action: "remote-call", body: { remotename: "weather-service", function: "get_forecast", args: { city: "Rome" } } }
