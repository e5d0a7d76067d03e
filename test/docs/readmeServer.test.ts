import { createSessionClient } from "react-tool-client/client"
import type { SessionServer } from "react-tool-client/server"
import { describe, expect, it, onTestFinished, vi } from "vitest"

const SECRET = "a secret of at least thirty-two bytes"

/** Its server block uses a fixed port, and expects that a page has joined once it has a token: both are seen to here. */
vi.mock("react-tool-client/server", async (importActual) => {
  const actual = await importActual<typeof import("react-tool-client/server")>()
  let url = ""
  return {
    ...actual,
    async serve(server: SessionServer) {
      const served = await actual.serve(server)
      onTestFinished(() => served.close())
      url = served.url
      return served
    },
    createSessionServer(options: Parameters<typeof actual.createSessionServer>[0]) {
      const server = actual.createSessionServer(options)
      onTestFinished(() => server.close())
      async function createToken(id: string) {
        const token = await server.createToken(id)
        const session = createSessionClient({ baseUrl: url, getToken: () => token.token }).open(id)
        onTestFinished(() => session.close())
        const page = session.createToolClient("web")
        page.addTool("add_todo", {
          description: "Add an item.",
          parameters: { type: "object", properties: { title: { type: "string" } } },
          execute: ({ title }: { title: string }) => `Added "${title}".`,
        })
        await page.ready
        return token
      }
      return { ...server, createToken }
    },
  }
})

describe("README.md: the session server, and a client without React", () => {
  it("lists and calls a page's tool, and a worker's while its job runs", async () => {
    vi.stubEnv("API_KEY", "key-of-the-agent")
    vi.stubEnv("SESSION_SECRET", SECRET)
    const { server, url, id, again, tools, text, is_error } = (await import("docs:README.md/server.ts")) as {
      server: SessionServer
      url: string
      id: string
      again: string
      tools: readonly { name: string }[]
      text: string
      is_error: boolean
    }
    expect(tools.map(({ name }) => name)).toEqual(["client__web__add_todo"])
    expect({ text, is_error }).toEqual({ text: 'Added "milk".', is_error: false })

    vi.stubEnv("SERVER_URL", url)
    vi.stubEnv("SESSION_ID", id)
    vi.stubEnv("SESSION_TOKEN", again)
    const yourJob = vi.fn(() => server.callTool(id, "client__jobs__count_orders", {}))
    vi.stubGlobal("yourJob", yourJob)
    await import("docs:README.md/worker.ts")
    expect(await yourJob.mock.results[0]?.value).toMatchObject({ text: "There are 3 orders.", is_error: false })
    expect(await server.tools(id)).toHaveLength(1)
  })
})
