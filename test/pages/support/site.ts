import { getRequestListener } from "@hono/node-server"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { attachEventSockets, type CallOutcome, createSessionServer, type SessionServer, type SessionServerOptions } from "../../../src/server/index.ts"
import type { PageOptions } from "../page/options.ts"
import { bundlePage } from "./bundlePage.ts"
import { createHurriedClock, type HurriedClock } from "./hurriedClock.ts"

/** One request that came to the site for a session. */
export interface Seen {
  /** `POST ping`: the method and the path's last part. */
  readonly what: string
  readonly url: URL
  /** The origin of the page that sent it, where the browser tells. */
  readonly origin: string | null
  readonly body: unknown
  /** When it came, by the machine's clock in milliseconds. */
  readonly at: number
  readonly response: Promise<Response>
}

/** What an agent knows of one session. */
export interface SiteSession {
  readonly id: string
  call(tool: string, args?: unknown): Promise<CallOutcome>
  /** The names of the clients whose tools are offered, in order. */
  clients(): Promise<readonly string[]>
  /** Event streams that pages hold open. */
  readonly streams: number
  /** How many of them are WebSockets. */
  readonly sockets: number
  /** Requests of this session so far whose `what` is this. */
  seen(what: string): readonly Seen[]
  /** The address of a page that serves this session. */
  page(options?: Partial<PageOptions>): string
}

export interface SiteOptions extends Omit<SessionServerOptions, "allowedOrigins" | "clock"> {
  /** How much faster than the machine's the server's clock goes, and its pages'. @default 1 */
  readonly speed?: number
  /** Whether the server offers its streams over WebSocket. @default true */
  readonly hasSockets?: boolean
}

/** A session server and the pages that serve it, on loopback. */
export interface Site {
  readonly origin: string
  /** The same pages on another port, which is another origin. */
  readonly otherOrigin: string
  readonly clock: HurriedClock
  /** A page without tools, of the same origin. */
  readonly plainPage: string
  createSession(): Promise<SiteSession>
  /** Keeps requests from the server until they are released. */
  hold(what: string): () => void
  /** Cuts every connection; another may be made at once. */
  cut(): void
  /** Whether connections can become WebSockets; a proxy in between may have it otherwise. */
  letsSocketsThrough: boolean
  /** Cuts every connection, and takes no other while it lasts. */
  goDown(): void
  comeUp(): void
  close(): Promise<void>
}

const API_KEY = "key-of-the-agent"
const SECRET = "a secret of thirty-two bytes, at least"

const html = (body: string): Response =>
  new Response(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title><link rel="icon" href="data:,">${body}</html>`, {
    headers: { "content-type": "text/html; charset=utf-8", "cache-control": "max-age=60" },
  })

export async function createSite({ speed = 1, hasSockets = true, ...options }: SiteOptions = {}): Promise<Site> {
  const script = await bundlePage()
  const clock = createHurriedClock(speed)
  const seen: Seen[] = []
  const holds = new Map<string, Promise<void>>()
  const streams = new Map<string, number>()
  const sockets = new Map<string, number>()
  const connections = new Set<Socket>()
  let isDown = false
  let letsSocketsThrough = true

  async function fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    switch (url.pathname) {
      case "/":
        return html(`<div id="root"></div><script type="module" src="/page.js"></script>`)
      case "/page.js":
        return new Response(script, { headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-cache" } })
      case "/plain":
        return html("<p>A page without tools.</p>")
      case "/token":
        return new Response((await sessions.createToken(url.searchParams.get("session") ?? "")).token)
      default:
        return serveSession(request, url)
    }
  }

  async function serveSession(request: Request, url: URL): Promise<Response> {
    const what = `${request.method} ${url.pathname.split("/").at(-1) ?? ""}`
    const body = request.method === "POST" || request.method === "PUT" ? parse(await request.clone().text()) : undefined
    const response = (holds.get(what) ?? Promise.resolve()).then(() => sessions.fetch(request))
    seen.push({ what, url, origin: request.headers.get("origin"), body, at: Date.now(), response })
    return response
  }

  /** Counted where it ends: what the browser holds open. */
  function countIn(counts: Map<string, number>, { url = "" }: IncomingMessage, connection: NodeJS.EventEmitter): void {
    const { pathname } = new URL(url, origin)
    if (!pathname.endsWith("/events")) return
    const add = (count: number): void => void counts.set(sessionOf(pathname), (counts.get(sessionOf(pathname)) ?? 0) + count)
    add(1)
    connection.once("close", () => add(-1))
  }

  function cut(): void {
    for (const socket of connections) socket.destroy()
  }

  const listener = getRequestListener(fetch, { overrideGlobalObjects: false })
  const listen = async (): Promise<Server> => {
    const http = createServer((incoming, outgoing) => void listener(incoming, outgoing))
    http.prependListener("request", (incoming, outgoing) => incoming.method === "GET" && countIn(streams, incoming, outgoing))
    http.prependListener("upgrade", (incoming, socket: Socket) => {
      if (!letsSocketsThrough) return void socket.destroy()
      countIn(streams, incoming, socket)
      countIn(sockets, incoming, socket)
    })
    http.on("connection", (socket) => {
      if (isDown) return void socket.destroy()
      connections.add(socket)
      socket.once("close", () => connections.delete(socket))
    })
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
    return http
  }
  const originOf = (http: Server): string => `http://127.0.0.1:${(http.address() as AddressInfo).port}`

  const [own, other] = await Promise.all([listen(), listen()])
  const [origin, otherOrigin] = [originOf(own), originOf(other)]
  const sessions: SessionServer = createSessionServer({ apiKey: API_KEY, secret: SECRET, allowedOrigins: [otherOrigin], clock, ...options })
  const closeSockets = hasSockets ? await attachEventSockets(own, { fetch }) : undefined

  return {
    origin,
    otherOrigin,
    clock,
    plainPage: `${origin}/plain`,
    async createSession() {
      const { id } = await sessions.createSession()
      return {
        id,
        call: (tool, args) => sessions.callTool(id, tool, args),
        clients: async () => [...new Set((await sessions.tools(id)).map(({ name }) => name.split("__")[1] ?? ""))].sort(),
        get streams() {
          return streams.get(id) ?? 0
        },
        get sockets() {
          return sockets.get(id) ?? 0
        },
        seen: (what) => seen.filter((request) => request.what === what && sessionOf(request.url.pathname) === id),
        page: ({ from = origin, ...pageOptions } = {}) =>
          `${from}/?${new URLSearchParams({ session: id, speed: String(speed), ...asText(pageOptions) }).toString()}`,
      }
    },
    hold(what) {
      let release = (): void => {}
      holds.set(what, new Promise((resolve) => (release = resolve)))
      return () => {
        holds.delete(what)
        release()
      }
    },
    cut,
    get letsSocketsThrough() {
      return letsSocketsThrough
    },
    set letsSocketsThrough(value) {
      letsSocketsThrough = value
    },
    goDown() {
      isDown = true
      cut()
    },
    comeUp() {
      isDown = false
    },
    async close() {
      closeSockets?.()
      await sessions.close()
      for (const http of [own, other]) {
        const closed = new Promise((resolve) => http.close(resolve))
        http.closeAllConnections()
        await closed
      }
    },
  }
}

const sessionOf = (pathname: string): string => pathname.split("/")[3] ?? ""

const asText = (record: object): Record<string, string> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)]))

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
