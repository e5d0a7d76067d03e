import { describe, expect, it, vi } from "vitest"
import { aTool } from "../../test/node/client/support/createBench.ts"
import { createFakeClock } from "../testing/fakeClock.ts"
import { createSessionClient, type SessionClientOptions } from "./sessionClient.ts"

/** A session client whose every request comes to the test; streams stay open, and all else is well. */
function setUp(options: Partial<SessionClientOptions> = {}) {
  const clock = createFakeClock()
  const requests: { readonly method: string; readonly url: string; readonly signal: AbortSignal | null | undefined }[] = []
  const getToken = vi.fn(() => "t")
  const client = createSessionClient({
    baseUrl: "https://agents.example/api",
    getToken,
    clock,
    fetch: async (input, init) => {
      const url = input as string
      requests.push({ method: init?.method ?? "GET", url, signal: init?.signal })
      init?.signal?.throwIfAborted()
      if (url.endsWith("/events")) {
        const body = new ReadableStream({
          start(controller) {
            init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason))
          },
        })
        return new Response(body, { headers: { "content-type": "text/event-stream" } })
      }
      if (init?.method === "POST" && url.endsWith("/tool-clients")) return Response.json({ id: "c1", name: "web" }, { status: 201 })
      return new Response(null, { status: 204 })
    },
    ...options,
  })
  async function settle(): Promise<void> {
    for (let count = 0; count < 5; count++) await clock.advance(0)
  }
  return { client, clock, requests, getToken, settle, nothingLeft: () => expect({ pending: clock.pending, holds: clock.holds }).toEqual({ pending: 0, holds: 0 }) }
}

describe("a session client", () => {
  it.each([
    [{}, "baseUrl"],
    [undefined, "options"],
    [null, "options"],
    [{ baseUrl: 5, getToken: () => "t" }, "baseUrl"],
    [{ baseUrl: "https://a.example" }, "getToken"],
    [{ baseUrl: "https://a.example", getToken: "t" }, "getToken"],
  ])("is refused without what it needs, by name: %j", (options, name) => {
    expect(() => createSessionClient(options as never)).toThrow(TypeError)
    expect(() => createSessionClient(options as never)).toThrow(name)
  })

  it.each(["", ".", "..", "half \ud83d", undefined, null, 5, {}])("opens no session of the id %j, and says so", async (id) => {
    const { client, requests, settle, nothingLeft } = setUp()
    for (const ask of [client.open, client.share]) {
      expect(() => ask(id as never)).toThrow(TypeError)
      expect(() => ask(id as never)).toThrow("session's id")
    }
    await settle()
    expect(requests).toEqual([])
    nothingLeft()
  })

  it.each(["__proto__", "a/b?c#d", "...", "häßlich 👍", "%2e%2e"])("asks for the session %s by its own path", async (id) => {
    const { client, requests, settle } = setUp()
    const session = client.open(id)
    await settle()
    expect(new URL(requests[0]!.url).pathname.split("/").map(decodeURIComponent)).toEqual(["", "api", "v1", "sessions", id, "events"])
    await session.close()
  })

  it("starts nothing by itself", async () => {
    const { requests, getToken, settle, nothingLeft } = setUp()
    await settle()
    expect(requests).toEqual([])
    expect(getToken).not.toHaveBeenCalled()
    nothingLeft()
  })

  it.each([
    ["https://agents.example/api", "https://agents.example/api/v1/sessions/s/events"],
    ["https://agents.example/", "https://agents.example/v1/sessions/s/events"],
    ["https://agents.example///", "https://agents.example/v1/sessions/s/events"],
    ["/agents", "/agents/v1/sessions/s/events"],
    ["", "/v1/sessions/s/events"],
  ])("asks below its base URL, with or without a slash at its end: %j", async (baseUrl, url) => {
    const { client, requests, settle } = setUp({ baseUrl })
    const session = client.open("s")
    await settle()
    expect(requests[0]?.url).toBe(url)
    await session.close()
  })

  it("opens a session of its own each time, also of the same id", async () => {
    const { client, requests, settle, nothingLeft } = setUp()
    const sessions = [client.open("s"), client.open("s")]
    await settle()
    expect(sessions[0]).not.toBe(sessions[1])
    expect(requests.length).toBe(2)
    await sessions[0]?.close()
    expect(sessions[1]?.state.status).toBe("open")
    await sessions[1]?.close()
    await settle()
    nothingLeft()
  })

  it("gives what goes wrong to the session's handler, else to the console", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {})
    const onError = vi.fn()
    const { client, settle } = setUp({ fetch: () => Promise.reject(new TypeError("Failed to fetch")) })
    const sessions = [client.open("a", { onError }), client.open("b")]
    await settle()
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: "network" }))
    expect(logged).toHaveBeenCalledTimes(1)
    for (const session of sessions) await session.close()
    logged.mockRestore()
  })

  it("survives a handler that throws", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {})
    const { client, settle, clock } = setUp({ fetch: () => Promise.reject(new TypeError("Failed to fetch")) })
    const session = client.open("s", {
      onError() {
        throw new Error("of the user's handler")
      },
    })
    await settle()
    await clock.advance(10_000)
    expect(session.state.status).toBe("reconnecting")
    expect(logged.mock.calls.length).toBeGreaterThan(1)
    await session.close()
    logged.mockRestore()
  })
})

describe("the signal that a session is opened with", () => {
  it("closes it when it aborts, and its clients with it", async () => {
    const { client, settle, requests, nothingLeft } = setUp()
    const controller = new AbortController()
    const session = client.open("s", { signal: controller.signal })
    const tools = session.createToolClient("web")
    await settle()
    controller.abort()
    await settle()
    expect(session.state.status).toBe("closed")
    expect(tools.state.status).toBe("left")
    expect(requests.at(-1)?.method).toBe("DELETE")
    nothingLeft()
  })

  it("that has aborted already starts nothing", async () => {
    const { client, settle, requests, getToken, nothingLeft } = setUp()
    const session = client.open("s", { signal: AbortSignal.abort() })
    await settle()
    expect(session.state.status).toBe("closed")
    expect(getToken).not.toHaveBeenCalled()
    expect(requests).toEqual([])
    expect(() => session.createToolClient("web")).toThrow(expect.objectContaining({ code: "closed" }))
    nothingLeft()
  })

  it("has no listener left once the session is closed, however many sessions it has outlived", async () => {
    const { client, settle } = setUp()
    const { signal } = new AbortController()
    let listeners = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    }
    for (let count = 0; count < 20; count++) {
      const session = client.open("s", { signal })
      await settle()
      expect(listeners).toBe(1)
      await session.close()
      expect(listeners).toBe(0)
    }
  })
})

describe("a shared session", () => {
  it("is one for all who ask for its id, and closes after the last release", async () => {
    const { client, settle, requests, nothingLeft } = setUp()
    const [one, two, other] = [client.share("s"), client.share("s"), client.share("another")] as const
    expect(one.session).toBe(two.session)
    expect(other.session).not.toBe(one.session)
    await settle()
    expect(requests.length).toBe(2)
    one.release()
    one.release()
    await settle()
    expect(one.session.state.status).toBe("open")
    two.release()
    other.release()
    await settle()
    expect(one.session.state.status).toBe("closed")
    nothingLeft()
  })

  it("that is released and shared again within the tick was never released", async () => {
    const { client, settle, requests } = setUp()
    const one = client.share("s")
    await settle()
    one.release()
    const two = client.share("s")
    await settle()
    expect(two.session).toBe(one.session)
    expect(requests.length).toBe(1)
    expect(two.session.state.status).toBe("open")
    two.release()
  })

  it("is another one after it was closed", async () => {
    const { client, settle } = setUp()
    const one = client.share("s")
    await settle()
    void one.session.close()
    const two = client.share("s")
    expect(two.session).not.toBe(one.session)
    await settle()
    one.release()
    await settle()
    expect(two.session.state.status).toBe("open")
    two.release()
    await settle()
    expect(two.session.state.status).toBe("closed")
  })

  it("is not the one that `open` opened", async () => {
    const { client, settle } = setUp()
    const own = client.open("s")
    const { session, release } = client.share("s")
    expect(session).not.toBe(own)
    await settle()
    release()
    await settle()
    expect(own.state.status).toBe("open")
    await own.close()
  })

  it("waits for the clients that its owners have released", async () => {
    const { client, settle, requests, nothingLeft } = setUp()
    const owner = client.share("s")
    const tools = owner.session.shareToolClient("web")
    tools.client.addTool("add", aTool())
    await settle()
    owner.release()
    tools.release()
    await settle()
    expect(requests.map(({ method }) => method)).toEqual(["GET", "POST", "DELETE"])
    expect(owner.session.state.status).toBe("closed")
    nothingLeft()
  })
})
