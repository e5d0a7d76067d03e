import type { AddressInfo } from "node:net"
import { anyOrListed, aText, checkOptions, hasMethods } from "../lib/checkOptions.ts"
import { directAnswerOf, withDirectAnswer } from "./directAnswer.ts"
import { attachEventSockets } from "./eventSockets.ts"
import { type AllowedHosts, createHostCheck, type HostCheck, hostRefusal, loopbackHosts } from "./hosts.ts"
import type { HubServer } from "./hubServer.ts"
import { createNodeHandler } from "./nodeHandler.ts"
import { jsonReply, type Reply } from "./reply.ts"
import type { RequestHead } from "./serverRequest.ts"
import type { SessionServer } from "./sessionServer.ts"
import { SessionServerError } from "./sessionServerError.ts"
import { refuseUpgrade, takeUpgrades } from "./upgrades.ts"
import { responseOf } from "./webExchange.ts"

/** The highest port that there is (RFC 9293 §3.1: 16 bits). */
const MAX_PORT = 65_535

export interface ServeOptions {
  /** @default 0: any free one */
  readonly port?: number | undefined
  /** @default "127.0.0.1", which other machines do not reach */
  readonly hostname?: string | undefined
  /** A hub to serve on the same port, at `/ws`. @default none */
  readonly hub?: Pick<HubServer, "attach"> | undefined
  /**
   * Host names to accept, as `allowedHosts` of `createSessionServer`. If a proxy on the same machine forwards its own name, list that name.
   * @default `localhost`, `127.0.0.1` and `[::1]` if `hostname` is loopback (against DNS rebinding); otherwise "*"
   */
  readonly allowedHosts?: AllowedHosts | undefined
}

export interface ServedSession {
  /** The address it listens at, without a trailing slash: the client's `baseUrl`. */
  readonly url: string
  readonly port: number
  /**
   * Stops listening and cuts open connections. The session server itself stays open: it can be served again.
   *
   * @param options.graceMs - How long responses in progress may finish, in milliseconds. `@default` 0
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>
}

/** Refuses, before the session server is asked, what is addressed by a name that leads here by chance or by malice. */
function atItsNames({ fetch }: Pick<SessionServer, "fetch">, hosts: HostCheck): Pick<SessionServer, "fetch"> {
  /** The refusal, or undefined for a name that is good. */
  const refusalOf = (request: RequestHead): Reply | undefined => {
    try {
      hosts.check(request)
      return undefined
    } catch (error) {
      if (!(error instanceof SessionServerError)) throw error
      return jsonReply({ error: { code: error.code, message: error.message } }, error.status)
    }
  }
  const direct = directAnswerOf(fetch)
  return {
    fetch: withDirectAnswer(
      async (request) => {
        const refusal = refusalOf(request)
        return refusal ? responseOf(refusal, request) : fetch(request)
      },
      direct && { ...direct, answer: async (request) => refusalOf(request) ?? direct.answer(request) },
    ),
  }
}

/**
 * Serves a session server over HTTP on Node, with event streams over WebSocket too.
 * Rejects if it cannot listen at the port, and with a TypeError for an invalid option.
 */
export async function serve(server: Pick<SessionServer, "fetch">, options: ServeOptions = {}): Promise<ServedSession> {
  if (!hasMethods(server, "fetch")) throw new TypeError("serve needs a server first, with a fetch handler: createSessionServer(…).")
  checkOptions<ServeOptions>("serve", options, {
    port: { what: "a port from 0 to 65535", admits: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_PORT },
    hostname: aText,
    hub: { what: "a hub: createHubServer(…)", admits: (value) => hasMethods(value, "attach") },
    allowedHosts: anyOrListed,
  })
  const { port = 0, hostname = "127.0.0.1" } = options
  const hosts = createHostCheck(options.allowedHosts ?? loopbackHosts(hostname) ?? "*")
  const named = atItsNames(server, hosts)
  // Loaded here, so that the rest of this entry runs where there is no Node; and what the handler needs, before the first request comes.
  const [{ createServer }] = await Promise.all([import("node:http"), import("@hono/node-server")])
  const http = createServer(createNodeHandler(named))
  // Before all who take upgrades, the hub too.
  takeUpgrades(http, {
    takes: ({ headers }) => !hosts.admits(headers.host ?? ""),
    take: ({ headers }, duplex) => refuseUpgrade(duplex, 403, hostRefusal(headers.host ?? "")),
  })
  const closeSockets = await attachEventSockets(http, named)
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
    close: ({ graceMs = 0 } = {}) =>
      new Promise((resolve, reject) => {
        const cut = (): void => {
          closeSockets()
          closeHub?.()
          http.closeAllConnections()
        }
        const timer = graceMs > 0 ? setTimeout(cut, graceMs) : undefined
        http.close((error) => {
          clearTimeout(timer)
          if (error && http.listening) reject(error)
          else resolve()
        })
        if (graceMs > 0) http.closeIdleConnections()
        else cut()
      }),
  }
}
