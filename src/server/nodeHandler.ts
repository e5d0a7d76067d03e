import type { IncomingMessage, ServerResponse } from "node:http"
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2"
import { hasMethods } from "../lib/checkOptions.ts"
import { type DirectAnswer, directAnswerOf } from "./directAnswer.ts"
import { requestOfNode, sendFailure, sendReply } from "./nodeExchange.ts"
import { jsonReply } from "./reply.ts"
import type { SessionServer } from "./sessionServer.ts"
import { nowhere, responseOf } from "./webExchange.ts"

/** What Node's own servers, of HTTP/1 and HTTP/2, Express and everything in their style take. */
export type NodeHandler = (incoming: IncomingMessage | Http2ServerRequest, outgoing: ServerResponse | Http2ServerResponse) => void

/** What a body parser in front has made of the body. */
function parsedBody(incoming: IncomingMessage & { readonly body?: unknown }): Uint8Array | undefined {
  const { body } = incoming
  if (body === undefined) return undefined
  if (body instanceof Uint8Array) return body
  return new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))
}

/** The host of a target that is a whole URL, as proxies are sent them. */
const TARGET_HOST = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i

/**
 * The other name beside `Host`: `:authority` in HTTP/2 (RFC 9113 §8.3.1), that of the target in HTTP/1 (RFC 9112 §3.2.2). Where the two differ, whoever goes by one of
 * them would be deceived by the other.
 */
function namesTwoHosts({ headers: { host, ":authority": authority }, url = "" }: IncomingMessage): boolean {
  const other = authority ?? TARGET_HOST.exec(url)?.[1]
  return host !== undefined && other !== undefined && host.toLowerCase() !== String(other).toLowerCase()
}

const TWO_HOSTS = jsonReply({ error: { code: "invalid_request", message: "The request names two hosts: `Host` differs from that of its target." } }, 400)

/** Answers without web objects where that can be; false where it cannot. */
function answerDirectly(direct: DirectAnswer, incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  const request = requestOfNode(incoming, outgoing)
  if (!request || !direct.takes(request.path)) return false
  direct
    .answer(request)
    .then((reply) => sendReply(incoming, outgoing, reply))
    .catch((error: unknown) => {
      direct.report(error)
      sendFailure(outgoing)
    })
  return true
}

/**
 * The session server's handler for `node:http`, Express, and frameworks in their style.
 *
 * Mount it before body parsers such as `express.json()`. If a body has already been read, it is written again from `request.body`.
 * `compression` leaves streams alone, because they are sent with `Cache-Control: no-transform`.
 *
 * @throws TypeError if the argument has no `fetch`
 * @example
 * const handler = createNodeHandler(server)
 * const http = createServer(handler)                    // node:http
 * app.all("/v1/{*path}", handler)                       // Express 5
 */
export function createNodeHandler(server: Pick<SessionServer, "fetch">): NodeHandler {
  if (!hasMethods(server, "fetch")) throw new TypeError("createNodeHandler needs what has a fetch handler: createSessionServer(…), createActionHost(…), mcpHandler(…).")
  const direct = directAnswerOf(server.fetch)
  // Loaded here, so that the rest of this entry runs where there is no Node.
  const listener = import("@hono/node-server").then(({ getRequestListener, RequestError }) =>
    getRequestListener(server.fetch, {
      overrideGlobalObjects: false,
      errorHandler: (error) => (error instanceof RequestError ? responseOf(nowhere) : new Response(null, { status: 500 })),
    }),
  )
  // Each request hears of it; until one comes it is no unhandled rejection.
  listener.catch(() => {})

  return (given, answered) => {
    // Those of HTTP/2 do what is asked of the others here.
    const [incoming, outgoing] = [given as IncomingMessage, answered as ServerResponse]
    if (namesTwoHosts(incoming)) return void outgoing.writeHead(TWO_HOSTS.status, TWO_HOSTS.headers).end(TWO_HOSTS.body)
    if (direct && answerDirectly(direct, incoming, outgoing)) return
    const body = incoming.readableDidRead ? parsedBody(incoming) : undefined
    // Where the listener looks for a body that somebody else has read, as the cloud's function runtimes do.
    if (body) Object.assign(incoming, { rawBody: Buffer.from(body) })
    listener.then(
      (listen) => listen(incoming, outgoing),
      (error: unknown) => outgoing.destroy(error as Error),
    )
  }
}
