import type { IncomingMessage, ServerResponse } from "node:http"
import { hasMethods } from "../lib/checkOptions.ts"
import { type DirectAnswer, directAnswerOf } from "./directAnswer.ts"
import { requestOfNode, sendFailure, sendReply } from "./nodeExchange.ts"
import type { SessionServer } from "./sessionServer.ts"

/** What Node's own server, Express and everything in their style take. */
export type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** What a body parser in front has made of the body. */
function parsedBody(incoming: IncomingMessage & { readonly body?: unknown }): Uint8Array | undefined {
  const { body } = incoming
  if (body === undefined) return undefined
  if (body instanceof Uint8Array) return body
  return new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))
}

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
 * Put it before `express.json()` and its like where you can: a body that was read already is written anew from `request.body`.
 * What gathers responses (`compression`) leaves streams alone, for they are sent with `Cache-Control: no-transform`.
 *
 * @throws TypeError for what has no `fetch`
 * @example
 * const handler = createNodeHandler(server)
 * const http = createServer(handler)                    // node:http
 * app.all("/v1/{*path}", handler)                       // Express 5
 */
export function createNodeHandler(server: Pick<SessionServer, "fetch">): NodeHandler {
  if (!hasMethods(server, "fetch")) throw new TypeError("createNodeHandler needs what has a fetch handler: createSessionServer(…), createActionHost(…), mcpHandler(…).")
  const direct = directAnswerOf(server.fetch)
  // Loaded here, so that the rest of this entry runs where there is no Node.
  const listener = import("@hono/node-server").then(({ getRequestListener }) => getRequestListener(server.fetch, { overrideGlobalObjects: false }))
  // Each request hears of it; until one comes it is no unhandled rejection.
  listener.catch(() => {})

  return (incoming, outgoing) => {
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
