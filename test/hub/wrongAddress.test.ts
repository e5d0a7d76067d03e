// Servers that are no hub, and hubs that refuse: what the client's user is told of them, and how soon.
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { WebSocket } from "ws"
import type { SessionError } from "../../src/wire/sessionError.ts"
import { createTestClient, type TestClient, untilStatus } from "./support/client.ts"
import { startHub } from "./support/hub.ts"

/** A server that answers an upgrade as any request. */
async function startServer(answer: RequestListener): Promise<{ readonly url: string; readonly asked: readonly IncomingMessage[] }> {
  const asked: IncomingMessage[] = []
  const http = createServer((incoming, outgoing) => {
    asked.push(incoming)
    answer(incoming, outgoing)
  })
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/ws`, asked }
}

/** Node's class as the client has it by itself, which tells more than the one that tests give it. */
const onNode = { WebSocket: undefined }

/** What stands in the state, and went to `onError`, before the clock has moved at all. */
async function told({ client, errors }: TestClient): Promise<SessionError> {
  client.subscribe(() => {})
  const { error } = await untilStatus(client, "reconnecting")
  expect(errors).toEqual([error])
  return error as SessionError
}

/** Counts those that were made. */
class Counted extends WebSocket {
  static count = 0
  constructor(url: string) {
    super(url)
    Counted.count++
  }
}

/** Lets a quarter of a second pass, and an attempt that begins in it end. */
async function attempts({ client, clock, errors }: TestClient): Promise<void> {
  const { count } = Counted
  const told = errors.length
  await clock.advance(250)
  if (Counted.count > count) await vi.waitFor(() => expect(errors.length > told || client.state.status === "open").toBe(true))
}

describe("a hub client on Node says at once, in its state and to onError,", () => {
  it.each<[string, RequestListener, Partial<SessionError>, readonly string[]]>([
    ["that a path is wrong", (_request, response) => response.writeHead(404).end("<h1>Not found</h1>"), { status: 404 }, ["answered 404 in place of 101", "the path of the url is not the one"]],
    ["that a page is no hub", (_request, response) => response.end("<h1>Welcome</h1>"), { status: 200 }, ["answered 200", "does not pass WebSocket upgrades on"]],
    ["that a proxy wants a login", (_request, response) => response.writeHead(401).end(), { status: 401 }, ["answered 401", "a login of its own"]],
    ["that a login page stands in front", (_request, response) => response.writeHead(302, { location: "/login" }).end(), { status: 302 }, ["redirects to /login"]],
    ["that a server is down behind its proxy", (_request, response) => response.writeHead(502, { "retry-after": "7" }).end(), { status: 502, retryAfterMs: 7_000 }, ["answered 502", "server is down"]],
    ["what the server says itself", (_request, response) => response.writeHead(404, { "content-type": "text/plain", "content-length": 9 }).end("No hub.\r\n"), { status: 404 }, ['404 "No hub." in place']],
  ])("%s", async (_what, answer, properties, texts) => {
    const { url } = await startServer(answer)
    const error = await told(createTestClient(url, onNode))
    expect(error).toMatchObject({ name: "SessionError", code: "unavailable", ...properties })
    for (const text of [`The WebSocket to the hub at ${url} did not open`, ...texts]) expect(error.message).toContain(text)
  })

  it("that there is no server", async () => {
    const error = await told(createTestClient("ws://127.0.0.1:1/ws", onNode))
    expect(error).toMatchObject({ code: "network", status: undefined, cause: { code: "ECONNREFUSED" } })
    expect(error.message).toContain("ECONNREFUSED 127.0.0.1:1. Likely the host or port of the url is wrong")
  })

  it("what our own hub says of another path, and of a page's origin", async () => {
    const { url } = await startHub()
    expect((await told(createTestClient(`${url}s`, onNode))).message).toContain('answered 404 "There is no WebSocket at /wss." in place of 101')
    class FromElsewhere extends WebSocket {
      constructor(address: string) {
        super(address, { origin: "https://elsewhere.example" })
      }
    }
    expect((await told(createTestClient(url, { WebSocket: FromElsewhere }))).message).toContain("answered 403 in place of 101. Likely the hub does not list this page's origin")
  })

  it("nothing of what stands in the address beside host and path", async () => {
    const { url } = await startServer((_request, response) => response.writeHead(404).end())
    const error = await told(createTestClient(`${url.replace("//", "//ada:secret@")}?key=secret`, onNode))
    expect(error.message).not.toContain("secret")
  })
})

describe("a hub client whose platform says nothing of a failed upgrade", () => {
  /** As a browser's. */
  class Silent extends Counted {
    constructor(url: string) {
      super(url)
      const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onerror") ?? {}
      Object.defineProperty(this, "onerror", {
        set: (listener: ((event: Event) => void) | null) => set?.call(this, listener && (() => listener(new Event("error")))),
      })
    }
  }
  const silent = { WebSocket: Silent }

  it("finds out that a server is there, by one plain request", async () => {
    const { url, asked } = await startServer((_request, response) => response.writeHead(404).end())
    vi.stubGlobal("location", new URL("https://app.example"))
    onTestFinished(() => void vi.unstubAllGlobals())
    const { message } = await told(createTestClient(url, silent))
    expect(message).toContain("A server answers there. Likely the path of the url")
    expect(message).toContain("allowedOrigins of createHubServer")
    expect(asked.map(({ url: path, headers }) => [path, headers.upgrade])).toEqual([["/ws", "websocket"], ["/ws", undefined]])
  })

  it("reads the status of that at the page's own origin", async () => {
    const { url } = await startServer((_request, response) => response.end("<h1>Welcome</h1>"))
    vi.stubGlobal("location", new URL(url.replace("ws:", "http:")))
    onTestFinished(() => void vi.unstubAllGlobals())
    expect((await told(createTestClient("/ws", silent))).message).toContain("A plain request of the same address is answered 200. Likely the path of the url")
  })

  it("reads it where there is no page, as with Node's own class, which says the same of everything", async () => {
    const { url } = await startServer((_request, response) => response.writeHead(404).end())
    class Vague extends Counted {
      constructor(address: string) {
        super(address)
        this.once("unexpected-response", () => this.emit("error", new Error("Received network error or non-101 status code.")))
      }
    }
    expect((await told(createTestClient(url, { WebSocket: Vague }))).message).toContain("A plain request of the same address is answered 404. Likely the path of the url")
  })

  it("finds out that none is there", async () => {
    expect((await told(createTestClient("ws://127.0.0.1:1/ws", silent))).message).toContain("nobody answers a plain request of the same address")
  })

  it("asks no such question of a hub that it has reached before", async () => {
    const { url, http, hub } = await startHub()
    const tested = createTestClient(url, silent)
    await tested.client.remotes()
    http.close()
    await hub.close()
    await untilStatus(tested.client, "reconnecting")
    while (tested.errors.length < 2) await attempts(tested)
    expect((tested.errors[1] as Error).message).toContain("It was open before, so likely the hub's server is down")
  })
})

it("A call that waits in vain rejects with what keeps the hub away, and the client connects when that is put right.", async () => {
  const { hub, http, url } = await startHub()
  const tested = createTestClient(url.replace("/ws", "/hub"), { WebSocket: Counted })
  const { client, clock } = tested
  const called = client.call("weather-service", "get_forecast")
  called.catch(() => {})
  await untilStatus(client, "reconnecting")
  const began = clock.now()
  while (clock.now() < began + 35_000) await attempts(tested)
  await expect(called).rejects.toMatchObject({ code: "timeout", message: expect.stringContaining("answered 404"), cause: { name: "SessionError", status: 404 } })
  await hub.attach(http, "/hub")
  while (client.state.status !== "open") await attempts(tested)
  expect(await client.remotes()).toEqual([])
})
