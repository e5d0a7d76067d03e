import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { expectTypeOf, test } from "vitest"
import type { HubClient } from "../../hub/index.ts"
import type { ProviderRegistry } from "../../tools.ts"
import { type AgentEndpoint, connectSessionServer, createSessionServer, type HubServer, type SessionServer } from "../index.ts"
import { actionSource, type AgentToolSource, mcpEndpoint, mcpHandler, mcpServer, remoteSource, sessionSource } from "./index.ts"

declare const server: SessionServer
declare const hubServer: HubServer
declare const hub: HubClient
declare const registry: ProviderRegistry

test("a server of the SDK is made of a session, here or elsewhere, and of any source", () => {
  expectTypeOf(mcpServer(server, "s")).toEqualTypeOf<Server>()
  expectTypeOf(mcpServer(connectSessionServer({ url: "https://agents.example.com", apiKey: "key" }), "s", { name: "shop" })).toEqualTypeOf<Server>()
  expectTypeOf(mcpServer(sessionSource(server, "s"), { instructions: "Prices are in cents." })).toEqualTypeOf<Server>()
})

test("a hub's client, a hub's server and a registry's tools are sources", async () => {
  expectTypeOf(remoteSource(hub)).toEqualTypeOf<AgentToolSource>()
  expectTypeOf(remoteSource(hubServer.remotesOf("ada"))).toEqualTypeOf<AgentToolSource>()
  expectTypeOf(actionSource(await registry.toTools(), { userId: "ada" })).toEqualTypeOf<AgentToolSource>()
})

test("a session server takes the endpoint, and serves what one gives in a session's place", () => {
  expectTypeOf(mcpEndpoint()).toEqualTypeOf<AgentEndpoint>()
  createSessionServer({ apiKey: "key", endpoints: { mcp: mcpEndpoint({ source: (of, sessionId) => sessionSource(of, sessionId) }) } })
})

test("what would let everybody in, or is no source, is refused", () => {
  // @ts-expect-error a key is needed
  mcpHandler(remoteSource(hub), {})
  // @ts-expect-error a session's id is needed
  mcpServer(server)
  // @ts-expect-error a registry is no map of tools
  actionSource(registry)
})
