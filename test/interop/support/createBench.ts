import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import { onTestFinished } from "vitest"
import { createSessionClient } from "../../../src/client.ts"
import { createSessionServer, serve, type SessionServerOptions } from "../../../src/server/index.ts"
import { mcpEndpoint, type McpEndpointOptions } from "../../../src/server/mcp/index.ts"

export const API_KEY = "key-of-the-agent"

/** A real server on loopback that serves MCP, and a page on it. */
export async function createBench(options: McpEndpointOptions = {}, more: SessionServerOptions = {}) {
  const server = createSessionServer({ apiKey: API_KEY, secret: "a secret of thirty-two bytes, at least", endpoints: { mcp: mcpEndpoint(options) }, ...more })
  const served = await serve(server)
  const { id: sessionId, token } = await server.createSession()
  const sessions = createSessionClient({ baseUrl: served.url, getToken: () => token })
  const session = sessions.open(sessionId)
  const page = session.createToolClient("web")
  await page.ready
  onTestFinished(async () => {
    await session.close()
    await server.close()
    await served.close()
  })
  return { server, url: served.url, sessionId, page, mcpUrl: new URL(`${served.url}/v1/sessions/${sessionId}/mcp`) }
}

export const transportTo = (url: URL, apiKey = API_KEY): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${apiKey}` } } })

/** A client of the official SDK that counts what it is told of the list. */
export async function connect(transport: Parameters<Client["connect"]>[0]) {
  const client = new Client({ name: "test", version: "1" })
  const waiting = new Set<() => void>()
  let changes = 0
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes++
    for (const wake of [...waiting]) wake()
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    client,
    get changes() {
      return changes
    },
    /** Resolves once a change was told. */
    async changed(): Promise<void> {
      while (changes === 0) await new Promise<void>((resolve) => waiting.add(resolve))
    },
    /** Resolves with the tools' names once they are these; asks again at each news. */
    async until(...names: string[]): Promise<void> {
      for (;;) {
        const woken = new Promise<void>((resolve) => waiting.add(resolve))
        const { tools } = await client.listTools()
        if (JSON.stringify(tools.map(({ name }) => name)) === JSON.stringify(names)) return
        await woken
      }
    },
  }
}
