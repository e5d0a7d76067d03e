import type { AddressInfo } from "node:net"
import { attachEventSockets } from "./eventSockets.ts"
import type { HubServer } from "./hubServer.ts"
import type { SessionServer } from "./sessionServer.ts"

export interface ServeOptions {
  /** @default 0: any free one */
  readonly port?: number
  /** @default "127.0.0.1", which other machines do not reach */
  readonly hostname?: string
  /** A hub to serve on the same port, at `/ws`. @default none */
  readonly hub?: Pick<HubServer, "attach">
}

export interface ServedSession {
  /** Where it listens, without a slash at its end: the client's `baseUrl`. */
  readonly url: string
  readonly port: number
  /** Stops listening and cuts open connections. The session server itself stays open: it can be served again. */
  close(): Promise<void>
}

/**
 * Serves a session server over HTTP on Node, its event streams over WebSocket too.
 * Rejects when the port cannot be had.
 */
export async function serve(server: Pick<SessionServer, "fetch">, options: ServeOptions = {}): Promise<ServedSession> {
  const { port = 0, hostname = "127.0.0.1" } = options
  // Loaded here, so that the rest of this entry runs where there is no Node.
  const [{ createServer }, { getRequestListener }] = await Promise.all([import("node:http"), import("@hono/node-server")])
  const listener = getRequestListener(server.fetch, { overrideGlobalObjects: false })
  const http = createServer((incoming, outgoing) => void listener(incoming, outgoing))
  const closeSockets = await attachEventSockets(http, server)
  const closeHub = await options.hub?.attach(http)
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject)
    http.listen(port, hostname, () => {
      http.off("error", reject)
      resolve()
    })
  })
  const address = http.address() as AddressInfo
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address
  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    close: () =>
      new Promise((resolve, reject) => {
        http.close((error) => (error && http.listening ? reject(error) : resolve()))
        closeSockets()
        closeHub?.()
        http.closeAllConnections()
      }),
  }
}
