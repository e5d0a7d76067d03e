import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act, cleanup, renderHook, waitFor } from "@testing-library/react"
import { type ReactNode, StrictMode } from "react"
import { afterEach, describe, expect, it, vi } from "vitest"
import { createDemo } from "../../test/action/support/demoProviders.ts"
import { quiet } from "../../test/action/support/maps.ts"
import { createActionClient } from "../action/actionClient.ts"
import { createActionHost } from "../action/actionHost.ts"
import { MANIFEST_KEY, manifestQueryOptions } from "./manifestQueryOptions.ts"
import { useAction } from "./useAction.ts"
import { useActionTools } from "./useActionTools.ts"

interface Api {
  readonly version: string
  readonly actions: {
    readonly demoAdd: { readonly input: { a: number; b?: number }; readonly output: { sum: number } }
    readonly demoBuy: { readonly input: { thing: string }; readonly output: { bought: string; by: string } }
    readonly demoWait: { readonly input: object; readonly output: null }
    readonly demoFly: { readonly input: object; readonly output: null }
  }
}

afterEach(cleanup)

function setUp() {
  const { registry, seen } = createDemo()
  const host = createActionHost({ registry, authorize: "anyone", logger: quiet })
  // No server: jsdom's own signals are none to Node's fetch, so the signal is led over by hand.
  const fetch = vi.fn(async (url: string, { signal, ...init }: RequestInit) => {
    const controller = new AbortController()
    signal?.addEventListener("abort", () => controller.abort(signal.reason))
    const request = new Request(url, init)
    Object.defineProperty(request, "signal", { value: controller.signal })
    return host.fetch(request)
  })
  const client = createActionClient<Api>({ baseUrl: "http://host.test", fetch: fetch as unknown as typeof globalThis.fetch })
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const wrapper = ({ children }: { readonly children: ReactNode }) => (
    <StrictMode>
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </StrictMode>
  )
  return { seen, fetch, client, queryClient, wrapper }
}

describe("useActionTools", () => {
  it("gives the host's tools, the same ones at each render, for one request", async () => {
    const { client, queryClient, fetch } = setUp()
    // Not in StrictMode, whose second mount React 18 makes one of react-query's own, with a request of its own.
    const wrapper = ({ children }: { readonly children: ReactNode }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    const { result, rerender } = renderHook(() => useActionTools(client), { wrapper })
    await waitFor(() => expect(result.current.data?.demoAdd.id).toBe("demo.add"))
    const tools = result.current.data
    rerender()
    expect(result.current.data).toBe(tools)
    expect(await tools?.demoAdd.execute({ a: 1 }, { logger: quiet })).toEqual({ sum: 11 })
    expect(fetch.mock.calls.filter(([url]) => url.endsWith("/schema"))).toHaveLength(1)
  })

  it("shares the manifest with whoever else reads it", async () => {
    const { client, queryClient, wrapper, fetch } = setUp()
    await queryClient.fetchQuery(manifestQueryOptions(client))
    const { result } = renderHook(() => useActionTools(client), { wrapper })
    expect(result.current.status).toBe("success")
    expect(fetch).toHaveBeenCalledTimes(1)
  })
})

describe("the manifest's query", () => {
  it("is one of its own for each client, since the host may show each person other actions", async () => {
    const { queryClient } = setUp()
    const manifestOf = (name: string) => ({ format: 1, version: name, providers: [] })
    const clientOf = (name: string) =>
      createActionClient({ baseUrl: "http://host.test", headers: { user: name }, fetch: () => Promise.resolve(Response.json(manifestOf(name))) })
    const [ada, bob] = [clientOf("ada"), clientOf("bob")]
    expect(await queryClient.fetchQuery(manifestQueryOptions(ada))).toEqual(manifestOf("ada"))
    expect(await queryClient.fetchQuery(manifestQueryOptions(bob))).toEqual(manifestOf("bob"))
  })

  it("has the same key at each render, below the one of all manifests and the host's", () => {
    const { client } = setUp()
    const { queryKey } = manifestQueryOptions(client)
    expect(manifestQueryOptions(client).queryKey).toEqual(queryKey)
    expect(queryKey.slice(0, 3)).toEqual([...MANIFEST_KEY, "http://host.test"])
  })
})

describe("useAction", () => {
  it("goes from idle over running to completed", async () => {
    const { client, wrapper } = setUp()
    const states: unknown[] = []
    const { result } = renderHook(
      () => {
        const action = useAction(client, "demoAdd")
        states.push(action.state)
        return action
      },
      { wrapper },
    )
    expect(result.current.state).toEqual({ status: "idle" })
    act(() => result.current.run({ a: 1, b: 2 }))
    await waitFor(() => expect(result.current.state).toEqual({ status: "completed", input: { a: 1, b: 2 }, data: { sum: 3 } }))
    expect(states).toContainEqual({ status: "running", input: { a: 1, b: 2 } })
    act(() => result.current.reset())
    await waitFor(() => expect(result.current.state).toEqual({ status: "idle" }))
  })

  it("holds the interrupt, and goes on by resume", async () => {
    const { client, wrapper } = setUp()
    const { result } = renderHook(() => useAction(client, "demoBuy"), { wrapper })
    act(() => result.current.run({ thing: "tea" }))
    await waitFor(() => expect(result.current.state.status).toBe("interrupted"))
    const { state } = result.current
    if (state.status !== "interrupted") throw new Error("it did not pause")
    expect([state.interrupt.message, state.interrupt.data, state.input]).toEqual(["Buy tea?", { price: 3 }, { thing: "tea" }])
    act(() => state.resume("Ann"))
    await waitFor(() => expect(result.current.state).toMatchObject({ status: "completed", input: { thing: "tea" }, data: { bought: "tea#1", by: "Ann" } }))
  })

  it("fails with the tool's own error, and asks once", async () => {
    const { client, wrapper, fetch } = setUp()
    const { result } = renderHook(() => useAction(client, "demoAdd"), { wrapper })
    act(() => result.current.run({ a: "x" as unknown as number }))
    await waitFor(() => expect(result.current.state).toMatchObject({ status: "failed", error: { code: "invalid_input", tool: "demo.add" } }))
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it("fails for a name that the host does not have", async () => {
    const { client, wrapper } = setUp()
    const { result } = renderHook(() => useAction(client, "demoFly"), { wrapper })
    act(() => result.current.run({}))
    await waitFor(() => expect(result.current.state).toMatchObject({ status: "failed", error: { code: "not_found", tool: "demoFly" } }))
  })

  it.each(["a newer call", "reset", "unmounting"])("is aborted by %s", async (by) => {
    const { client, wrapper, seen } = setUp()
    const { result, unmount } = renderHook(() => useAction(client, "demoWait"), { wrapper })
    const begun = new Promise<void>((resolve) => Object.assign(seen, { onWaiting: resolve }))
    act(() => result.current.run({}))
    await begun
    const stopped = new Promise((resolve) => seen.waiting[0]?.addEventListener("abort", resolve))
    if (by === "reset") act(() => result.current.reset())
    else if (by === "unmounting") unmount()
    else act(() => result.current.run({}))
    await stopped
    if (by === "reset") await waitFor(() => expect(result.current.state).toEqual({ status: "idle" }))
  })
})
