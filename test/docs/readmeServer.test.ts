import { createSessionClient } from "react-tool-client/client"
import type { SessionServer } from "react-tool-client/server"
import { describe, expect, it, onTestFinished, vi } from "vitest"

const SECRET = "a secret of at least thirty-two bytes"

/** Its server block uses a fixed port: here it takes any that is free. */
vi.mock("react-tool-client/server", async (importActual) => {
  const actual = await importActual<typeof import("react-tool-client/server")>()
  return {
    ...actual,
    async serve(server: SessionServer) {
      const served = await actual.serve(server)
      onTestFinished(async () => {
        await served.close()
        await server.close()
      })
      return served
    },
  }
})

interface ServerBlock {
  server: SessionServer
  url: string
  startSession(): Promise<string>
  tokenFor(sessionId: string): Promise<string>
  addTodo(sessionId: string, title: string): Promise<string>
}

describe("README.md: the session server, and a client without React", () => {
  it("lists and calls a page's tool, and a worker's while its job runs", async () => {
    vi.stubEnv("API_KEY", "key-of-the-agent")
    vi.stubEnv("SESSION_SECRET", SECRET)
    const { server, url, startSession, tokenFor, addTodo } = (await import("docs:README.md/server.ts")) as ServerBlock
    const id = await startSession()
    expect(await addTodo(id, "milk")).toBe("The page is not open.")

    const session = createSessionClient({ baseUrl: url, getToken: tokenFor }).open(id)
    onTestFinished(() => session.close())
    const page = session.createToolClient("web")
    page.addTool("add_todo", {
      description: "Add an item.",
      parameters: { type: "object", properties: { title: { type: "string" } } },
      execute: ({ title }: { title: string }) => `Added "${title}".`,
    })
    await page.ready
    expect(await addTodo(id, "milk")).toBe('Added "milk".')

    vi.stubEnv("SERVER_URL", url)
    vi.stubEnv("SESSION_ID", id)
    vi.stubEnv("SESSION_TOKEN", await tokenFor(id))
    const yourJob = vi.fn(() => server.callTool(id, "client__jobs__count_orders", {}))
    vi.stubGlobal("yourJob", yourJob)
    await import("docs:README.md/worker.ts")
    expect(await yourJob.mock.results[0]?.value).toMatchObject({ text: "There are 3 orders.", is_error: false })
    expect(await server.tools(id)).toHaveLength(1)
  })
})
