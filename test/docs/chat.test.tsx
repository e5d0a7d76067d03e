// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import type { ReactElement } from "react"
import { serve, type SessionServer } from "react-tool-client/server"
import { afterEach, expect, it, onTestFinished, vi } from "vitest"
import { scriptedModel, toolResults } from "../action/support/scriptedModel.ts"

const model = scriptedModel([{ tool: "client__web__add_todo", input: { title: "milk" } }], [{ tool: "client__web__add_todo", input: { title: "" } }], "Milk is on your list.")
vi.mock("@ai-sdk/openai", () => ({ openai: () => model }))

/** Node takes no path for an address, as a browser does: the page's `/` is the server's address here. */
let origin = ""
vi.mock("react-tool-client", async (importActual) => {
  const actual = await importActual<typeof import("react-tool-client")>()
  const createSessionClient: typeof actual.createSessionClient = (options) => actual.createSessionClient({ ...options, baseUrl: origin })
  return { ...actual, createSessionClient }
})

afterEach(cleanup)

it("docs/guides/chat.md: what a person asks in the chat, the agent does with the page's tool, and the chat shows each call", async () => {
  vi.stubEnv("SESSION_SECRET", "a secret of at least thirty-two bytes")
  const { sessionServer } = (await import("docs:docs/guides/chat.md/app/session-server.ts")) as { sessionServer(): SessionServer }
  const { POST } = (await import("docs:docs/guides/chat.md/app/api/chat/route.ts")) as { POST(request: Request): Promise<Response> }
  const { default: Page } = (await import("docs:docs/guides/chat.md/app/page.tsx")) as { default(): Promise<ReactElement> }
  const served = await serve(sessionServer())
  origin = served.url
  onTestFinished(async () => {
    await served.close()
    await sessionServer().close()
  })

  // In Next's place: one origin for the session server and the chat's route.
  const { fetch } = globalThis
  vi.stubEnv("NODE_ENV", "production")
  const refused = await POST(new Request(new URL("/api/chat", origin), { method: "POST", body: JSON.stringify({ messages: [], sessionId: "any" }) }))
  expect(refused.status).toBe(403)
  expect(await refused.text()).toContain("ownsSession")
  vi.stubEnv("NODE_ENV", "development")
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubGlobal("fetch", (input: string, init?: RequestInit) => {
    const url = new URL(input, origin)
    return url.pathname === "/api/chat" ? POST(new Request(url, init)) : fetch(url, init)
  })
  onTestFinished(() => void vi.unstubAllGlobals())

  const page = await Page()
  render(page)
  const { sessionId } = page.props as { sessionId: string }
  const isOffered = (count: number) => vi.waitFor(async () => expect(await sessionServer().tools(sessionId)).toHaveLength(count), 10_000)
  await isOffered(1)
  fireEvent.change(screen.getByLabelText("Message"), { target: { value: "Add milk." } })
  fireEvent.click(screen.getByText("Send"))
  await screen.findByText("Milk is on your list.")
  expect(screen.getByRole("listitem").textContent).toBe("milk")
  // By the page's record of the call, too: it alone knows how long it took.
  expect(screen.getByText(/^On your list: milk \(\d+ ms\)$/)).toBeTruthy()
  expect(screen.getByText(/^Not added: .*title/)).toBeTruthy()
  expect(toolResults(model)).toHaveLength(2)

  cleanup()
  await isOffered(0)
})
