import { QueryClient, QueryClientProvider, useQuery, useSuspenseQuery } from "@tanstack/react-query"
import { act, cleanup, render, screen, waitFor } from "@testing-library/react"
import { type ReactNode, StrictMode, Suspense } from "react"
import type { Session, ToolClient } from "react-tool-client"
import { createTestSession } from "react-tool-client/testing"
import { afterEach, describe, expect, it, vi } from "vitest"
import { createTestClient } from "../../test/hub/support/client.ts"
import { startHub } from "../../test/hub/support/hub.ts"
import { sessionCallsQueryOptions } from "./sessionCallsQueryOptions.ts"
import { sessionToolsQueryOptions } from "./sessionToolsQueryOptions.ts"

afterEach(cleanup)

const tool = (description = "Does it.") => ({ description, parameters: { type: "object" }, execute: () => "done" })

function Tools({ source }: { readonly source: Session | ToolClient | null }) {
  const { data, status } = useQuery(sessionToolsQueryOptions(source))
  return <p data-testid="tools">{data ? data.map(({ client, name, description }) => `${client}.${name}: ${description}`).join(", ") || "none" : status}</p>
}

function Calls({ source }: { readonly source: Session | ToolClient }) {
  const { data = [] } = useQuery(sessionCallsQueryOptions(source))
  return <p data-testid="calls">{data.map(({ client, tool: name, phase }) => `${client}.${name} ${phase}`).join(", ")}</p>
}

const text = (id: string): string | null => screen.getByTestId(id).textContent

function show(ui: ReactNode) {
  const queryClient = new QueryClient()
  const tree = (children: ReactNode) => (
    <StrictMode>
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </StrictMode>
  )
  const { rerender } = render(tree(ui))
  return { queryClient, rerender: (next: ReactNode) => rerender(tree(next)) }
}

describe("a session's tools as a query", () => {
  it("are those that the server has accepted, and follow each change without being asked for", async () => {
    const session = createTestSession()
    show(<Tools source={session} />)
    await waitFor(() => expect(text("tools")).toBe("none"))
    const web = session.createToolClient("web")
    const release = session.hold()
    web.addTool("add", tool())
    await act(() => session.settle())
    expect(text("tools")).toBe("none")
    release()
    await waitFor(() => expect(text("tools")).toBe("web.add: Does it."))
    web.addTool("add", tool("Does more."))
    session.createToolClient("panel").addTool("open", tool("Opens."))
    await waitFor(() => expect(text("tools")).toBe("web.add: Does more., panel.open: Opens."))
    web.removeTool("add")
    await waitFor(() => expect(text("tools")).toBe("panel.open: Opens."))
    await session.close()
    await waitFor(() => expect(text("tools")).toBe("none"))
  })

  it("are one client's, under the name that the server gave it, and wait for a source that is not known yet", async () => {
    const session = createTestSession()
    const clients = [session.createToolClient("web"), session.createToolClient("web")] as const
    for (const client of clients) client.addTool("add", tool())
    await session.settle()
    const { rerender } = show(<Tools source={null} />)
    expect(text("tools")).toBe("pending")
    rerender(<Tools source={clients[1]} />)
    await waitFor(() => expect(text("tools")).toBe("web_2.add: Does it."))
    rerender(<Tools source={clients[0]} />)
    await waitFor(() => expect(text("tools")).toBe("web.add: Does it."))
  })

  it("are there without a round trip where a component suspends for them, or code fetches them", async () => {
    const session = createTestSession()
    session.createToolClient("web").addTool("add", tool())
    await session.settle()
    function Suspended() {
      const { data } = useSuspenseQuery(sessionToolsQueryOptions(session))
      return <p data-testid="tools">{data.map(({ name }) => name).join()}</p>
    }
    const { queryClient } = show(<Suspense fallback="waits"><Suspended /></Suspense>)
    await waitFor(() => expect(text("tools")).toBe("add"))
    expect(await queryClient.fetchQuery(sessionToolsQueryOptions(session))).toMatchObject([{ name: "add", client: "web", parameters: { type: "object" } }])
  })

  it("are a hub's remotes that this page serves, too", async () => {
    const { url } = await startHub()
    const { client: hub } = createTestClient(url)
    show(<Tools source={hub} />)
    hub.createToolClient("weather").addTool("get_forecast", tool())
    await waitFor(() => expect(text("tools")).toBe("weather.get_forecast: Does it."))
  })

  it("are a page's local remotes, too", async () => {
    const { client: hub } = createTestClient("ws://127.0.0.1:1/ws")
    show(<Tools source={hub.local} />)
    hub.local.createToolClient("notes").addTool("add", tool())
    await waitFor(() => expect(text("tools")).toBe("notes.add: Does it."))
  })

  it("are pushed into each cache that has them, and no more into one that let them go", async () => {
    const session = createTestSession()
    const web = session.createToolClient("web")
    const options = sessionToolsQueryOptions(session)
    const [one, other] = [new QueryClient(), new QueryClient()]
    await Promise.all([one.fetchQuery(options), other.fetchQuery(options)])
    web.addTool("add", tool())
    await session.settle()
    expect([one, other].map((cache) => cache.getQueryData(options.queryKey)?.length)).toEqual([1, 1])
    one.removeQueries({ queryKey: options.queryKey })
    web.addTool("more", tool())
    await session.settle()
    expect([one, other].map((cache) => cache.getQueryData(options.queryKey)?.length)).toEqual([undefined, 2])
    await one.fetchQuery(options)
    web.removeTool("more")
    await session.settle()
    expect([one, other].map((cache) => cache.getQueryData(options.queryKey)?.length)).toEqual([1, 1])
  })
})

describe("a session's calls as a query", () => {
  it("are of all its clients, the oldest first, each with its phase as it goes", async () => {
    const session = createTestSession()
    let finish: (text: string) => void = () => {}
    session.createToolClient("web").addTool("wait", { ...tool(), execute: () => new Promise<string>((resolve) => (finish = resolve)) })
    session.createToolClient("panel").addTool("open", tool())
    await session.settle()
    show(<Calls source={session} />)
    const waiting = session.callTool("wait")
    await waitFor(() => expect(text("calls")).toBe("web.wait running"))
    await session.clock.advance(10)
    await session.callTool("open")
    await waitFor(() => expect(text("calls")).toBe("web.wait running, panel.open answered"))
    finish("at last")
    await waiting
    await waitFor(() => expect(text("calls")).toBe("web.wait answered, panel.open answered"))
  })

  it("render nobody who looks at other calls only", async () => {
    const session = createTestSession()
    session.createToolClient("web").addTool("add", tool())
    await session.settle()
    const rendered = vi.fn()
    function Failed() {
      const { data } = useQuery({ ...sessionCallsQueryOptions(session), select: (calls) => calls.filter(({ phase }) => phase === "failed") })
      rendered(data)
      return null
    }
    const queryClient = new QueryClient()
    render(<QueryClientProvider client={queryClient}><Failed /></QueryClientProvider>)
    await waitFor(() => expect(rendered).toHaveBeenLastCalledWith([]))
    const before = rendered.mock.calls.length
    await session.callTool("add")
    await act(() => session.settle())
    expect(queryClient.getQueryData(sessionCallsQueryOptions(session).queryKey)).toMatchObject([{ phase: "answered" }])
    expect(rendered.mock.calls.length).toBe(before)
  })
})
