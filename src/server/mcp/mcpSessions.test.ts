import { expect, test } from "vitest"
import type { AgentToolSource } from "../agentToolSource.ts"
import { turn } from "../../lib/turn.ts"
import { createFakeClock } from "../../testing/fakeClock.ts"
import { ToolServer } from "./mcpServer.ts"
import { createMcpSessions, MCP_IDLE_MS } from "./mcpSessions.ts"

const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
const MAX = 4
const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }

function createBench() {
  const clock = createFakeClock()
  const sessions = createMcpSessions({ clock, maxBodyBytes: 1_000, maxSessions: MAX })
  let change = (): void => {}
  const watchTools: AgentToolSource["watchTools"] = (listener) => {
    change = () => listener([])
    change()
    return () => {}
  }
  const create = () => new ToolServer({ tools: () => Promise.resolve([]), callTool: () => Promise.reject(new Error("unused")), watchTools }, {})
  const ask = (method: string, id: string | undefined, body?: unknown): Promise<Response> =>
    sessions.handle(
      new Request("http://server.test/mcp", { method, headers: { ...headers, ...(id !== undefined && { "mcp-session-id": id }) }, ...(body !== undefined && { body: JSON.stringify(body) }) }),
      "owner",
      create,
    )
  async function begin(): Promise<string> {
    const response = await ask("POST", undefined, { jsonrpc: "2.0", id: 1, method: "initialize", params })
    await response.text()
    return response.headers.get("mcp-session-id") ?? String(response.status)
  }
  async function statusOf(id: string): Promise<number> {
    const response = await ask("POST", id, { jsonrpc: "2.0", id: 2, method: "ping" })
    await response.text()
    return response.status
  }
  return { clock, sessions, ask, begin, statusOf, change: () => change() }
}

test("The session that is idle longest gives way to a new one, and one that is listened to never does.", async () => {
  const { ask, begin, statusOf, clock } = createBench()
  const listening = await begin()
  const stream = await ask("GET", listening)
  const [first, second] = [await begin(), await begin()]
  for (let count = 3; count < MAX; count++) await begin()
  expect(await statusOf(first)).toBe(200)
  await begin()
  expect([await statusOf(listening), await statusOf(first), await statusOf(second)]).toEqual([200, 200, 404])
  await stream.body?.cancel()
  await clock.advance(MCP_IDLE_MS)
  expect([await statusOf(first), clock.pending]).toEqual([404, 0])
})

test("A new session is refused where all are in use.", async () => {
  const { ask, begin, sessions } = createBench()
  for (let count = 0; count < MAX; count++) await ask("GET", await begin())
  expect(await begin()).toBe("503")
  await sessions.close()
  expect(await begin()).not.toBe("503")
})

test("What begins no session leaves nothing behind.", async () => {
  const { ask, clock } = createBench()
  expect((await ask("POST", undefined, { jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(400)
  expect((await ask("POST", undefined, "x".repeat(2_000))).status).toBe(413)
  expect((await ask("GET", undefined)).status).toBe(400)
  expect(clock.pending).toBe(0)
})

test("A client that was not listening when the tools changed is told when it listens, unless it has asked for the list since.", async () => {
  const { ask, begin, change, sessions } = createBench()
  const heard = async (id: string): Promise<string> => {
    const stream = await ask("GET", id)
    await sessions.close()
    return stream.text()
  }
  const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }
  const told = await begin()
  await ask("POST", told, initialized)
  change()
  // What is said now nobody hears.
  await turn()
  expect(await heard(told)).toContain("notifications/tools/list_changed")

  const asking = await begin()
  await ask("POST", asking, initialized)
  change()
  await (await ask("POST", asking, { jsonrpc: "2.0", id: 2, method: "tools/list" })).text()
  expect(await heard(asking)).toBe("")
})
