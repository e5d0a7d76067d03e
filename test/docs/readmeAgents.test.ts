import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { LanguageModel } from "ai"
import { createSessionClient } from "react-tool-client/client"
import type { SessionServer } from "react-tool-client/server"
import { expect, it, onTestFinished, vi } from "vitest"
import { scriptedModel, toolResults } from "../action/support/scriptedModel.ts"

const API_KEY = "key-of-the-agent"

it("README.md: an agent loop across HTTP and an MCP client call a page's tool", async () => {
  vi.stubEnv("API_KEY", API_KEY)
  vi.stubEnv("SESSION_SECRET", "a secret of at least thirty-two bytes")
  const { server, url } = (await import("docs:README.md/mcp.ts")) as { server: SessionServer; url: string }
  onTestFinished(() => server.close())
  const { id, token } = await server.createSession()
  const session = createSessionClient({ baseUrl: url, getToken: () => token }).open(id)
  onTestFinished(() => session.close())
  const page = session.createToolClient("web")
  page.addTool("add_todo", { description: "Add an item.", parameters: { type: "object" }, execute: ({ title }: { title?: string }) => `Added "${title}".` })
  await page.ready
  await vi.waitFor(async () => expect(await server.tools(id)).toHaveLength(1))

  vi.stubEnv("SERVER_URL", url)
  const { answer } = (await import("docs:README.md/agent.ts")) as { answer(model: LanguageModel, sessionId: string, prompt: string): Promise<string> }
  const model = scriptedModel([{ tool: "client__web__add_todo", input: { title: "milk" } }], "Done.")
  expect(await answer(model, id, "Add milk.")).toBe("Done.")
  expect(toolResults(model)).toEqual([{ type: "text", value: 'Added "milk".' }])

  const client = new Client({ name: "test", version: "1" })
  onTestFinished(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/v1/sessions/${id}/mcp`), { requestInit: { headers: { authorization: `Bearer ${API_KEY}` } } }))
  expect(client.getServerVersion()?.name).toBe("shop")
  expect(await client.callTool({ name: "client__web__add_todo", arguments: { title: "bread" } })).toMatchObject({ content: [{ text: 'Added "bread".' }] })
})
