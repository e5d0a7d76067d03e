import type { IncomingMessage, ServerResponse } from "node:http"
import type { WebSocket } from "ws"
import { checkOptions, hasMethods } from "../lib/checkOptions.ts"
import { urlPath } from "../lib/urlPath.ts"
import type { SessionServer } from "./sessionServer.ts"
import { takeUpgrades, upgradePath, type UpgradeSource, type UpgradeTaker } from "./upgrades.ts"

/** A socket that has not sent its token by then is closed. Milliseconds. */
export const FIRST_MESSAGE_TIMEOUT_MS = 10_000

/** The first message holds a token and an event's id; nothing else is read. Bytes. */
const FIRST_MESSAGE_MAX_BYTES = 16 * 1024

/** The server's own end, told apart from a cut (RFC 6455 §7.4.1). */
const NORMAL_CLOSURE = 1000
const POLICY_VIOLATION = 1008

/** Tells a page that came over HTTP/1 that it may change over (RFC 9651 §3.3.6, a true boolean). */
const OFFER = ["event-sockets", "?1"] as const

const EVENTS_PATH = /\/v1\/sessions\/[^/]+\/events$/

/** Whether a request is for a session's events. */
const isEvents = (incoming: IncomingMessage): boolean => EVENTS_PATH.test(upgradePath(incoming))

/** What the client sends first. */
interface FirstMessage {
  readonly token: string
  readonly lastEventId: string | undefined
}

function readFirstMessage(data: unknown): FirstMessage | undefined {
  try {
    const { token, last_event_id: lastEventId } = JSON.parse(String(data)) as { token?: unknown; last_event_id?: unknown }
    if (typeof token !== "string") return undefined
    return { token, lastEventId: typeof lastEventId === "string" ? lastEventId : undefined }
  } catch {
    return undefined
  }
}

/**
 * The request that the same stream over HTTP would have been, so that tokens, origins and limits are checked in one place.
 * @throws TypeError for a token, an event's id or a host that HTTP could not have carried
 */
function requestOf(incoming: IncomingMessage, mountPath: string, { token, lastEventId }: FirstMessage, signal: AbortSignal): Request {
  const { host = "localhost", origin } = incoming.headers
  const isEncrypted = "encrypted" in incoming.socket
  const headers = new Headers({ authorization: `Bearer ${token}`, accept: "text/event-stream" })
  if (origin !== undefined) headers.set("origin", origin)
  if (lastEventId !== undefined) headers.set("last-event-id", lastEventId)
  return new Request(`${isEncrypted ? "https" : "http"}://${host}${(incoming.url ?? "/").slice(mountPath.length)}`, { headers, signal })
}

/** Sends the response: status and headers as one text message, then the body's bytes, no faster than the socket takes them. */
async function sendResponse(socket: WebSocket, response: Response): Promise<void> {
  const send = (data: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      socket.send(data, (error) => (error ? reject(error) : resolve()))
    })
  await send(JSON.stringify({ status: response.status, headers: Object.fromEntries(response.headers) }))
  const reader = response.body?.getReader()
  // The request's signal alone is not enough: it stops following its controller once the request is collected.
  socket.once("close", () => void reader?.cancel().catch(() => {}))
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) await send(part.value)
  socket.close(NORMAL_CLOSURE)
}

export interface EventSocketsOptions {
  /**
   * What a framework takes off a path before the server sees it, such as `/agents` of Express' `app.use("/agents", handler)`: upgrades come with
   * the whole path. Not the server's own `basePath`, which it takes off by itself.
   * @default ""
   */
  readonly mountPath?: string | undefined
}

/**
 * Offers each session's event stream over WebSocket too, on Node: over HTTP/1.1 a browser gives one host six connections, which six tabs'
 * streams use up for all requests of all tabs; sockets are counted apart. The stream over HTTP says that there are sockets (docs/PROTOCOL.md, "The stream over WebSocket").
 *
 * @param http - The server whose upgrades are listened to. Those of other paths are left to whoever else listens to them; where nobody does, a
 * WebSocket is refused with 404 and any other request answered as if it had not asked.
 * @param server - The session server whose `fetch` answers the stream.
 * @returns what stops it and closes its sockets
 */
export async function attachEventSockets(http: UpgradeSource, server: Pick<SessionServer, "fetch">, options: EventSocketsOptions = {}): Promise<() => void> {
  if (!hasMethods(http, "on", "prependListener")) throw new TypeError("attachEventSockets needs a server of node:http, or node:https, first.")
  if (!hasMethods(server, "fetch")) throw new TypeError("attachEventSockets needs the session server second.")
  checkOptions<EventSocketsOptions>("attachEventSockets", options, {
    mountPath: { what: 'a path that begins with "/" and does not end with it, such as "/agents", or ""', admits: (value) => typeof value === "string" && /^(?:\/[^/?#]+)*$/.test(value) },
  })
  const mountPath = urlPath(options.mountPath ?? "")
  const isOurs = (incoming: IncomingMessage): boolean => isEvents(incoming) && (incoming.url ?? "").startsWith(`${mountPath}/`)
  const loading = import("ws").then(({ WebSocketServer }) => new WebSocketServer({ noServer: true, maxPayload: FIRST_MESSAGE_MAX_BYTES }))

  function serveSocket(socket: WebSocket, incoming: IncomingMessage): void {
    const controller = new AbortController()
    const refuse = (reason: string): void => socket.close(POLICY_VIOLATION, reason)
    const timer = setTimeout(() => refuse("No token came."), FIRST_MESSAGE_TIMEOUT_MS)
    socket.on("error", () => socket.terminate())
    socket.once("close", () => {
      clearTimeout(timer)
      controller.abort()
    })
    socket.once("message", (data) => {
      clearTimeout(timer)
      const first = readFirstMessage(data)
      if (!first) return refuse("The first message is {token, last_event_id?}.")
      let request: Request
      try {
        request = requestOf(incoming, mountPath, first, controller.signal)
      } catch {
        return refuse("The token, the id or the host is not valid in a header.")
      }
      server
        .fetch(request)
        .then((response) => sendResponse(socket, response))
        .catch(() => socket.terminate())
    })
  }

  const take: UpgradeTaker["take"] = (incoming, duplex, head) => {
    loading.then(
      (sockets) => sockets.handleUpgrade(incoming, duplex, head, (socket) => serveSocket(socket, incoming)),
      () => duplex.destroy(),
    )
  }

  const offer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // HTTP/2 has no sockets here, and needs none: all streams go over one connection.
    if (incoming.httpVersionMajor === 1 && isOurs(incoming)) outgoing.setHeader(...OFFER)
  }

  // At once, so that nothing passes by a server that listens already.
  const stopTaking = takeUpgrades(http, { takes: isOurs, take })
  http.prependListener("request", offer)
  const sockets = await loading
  return () => {
    stopTaking()
    http.off("request", offer)
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
  }
}
