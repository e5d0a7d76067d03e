import { onTestFinished } from "vitest"
import { createSessionServer, serve, type ServedSession } from "../../../src/server/index.ts"

/** Answers instead of the session server, or leaves the request to it with `undefined`. */
export type Intercept = (request: Request) => Promise<Response> | Response | undefined

/** A session at a real server on loopback, and what a worker needs to know of it. */
export async function startSession(options: { intercept?: Intercept; allowedOrigins?: readonly string[] } = {}) {
  const { intercept, allowedOrigins = [] } = options
  const server = createSessionServer({ apiKey: "key-of-the-agent", secret: "a secret of thirty-two bytes, at least", allowedOrigins })
  const { id, token } = await server.createSession()
  const requests: string[] = []
  const handler = {
    fetch(request: Request): Promise<Response> {
      requests.push(`${request.method} ${new URL(request.url).pathname}`)
      return Promise.resolve(intercept?.(request) ?? server.fetch(request))
    },
  }
  let served: ServedSession = await serve(handler)
  const { url, port } = served
  onTestFinished(async () => {
    await server.close()
    await served.close()
  })
  return {
    server,
    id,
    url,
    env: { SERVER_URL: url, SESSION_ID: id, SESSION_TOKEN: token },
    /** What has been asked over HTTP: `POST /v1/sessions/...`. */
    requests: requests as readonly string[],
    toolNames: async () => (await server.tools(id)).map(({ name }) => name),
    call: (tool: string, args?: unknown) => server.callTool(id, tool, args),
    /** Cuts all connections and listens no more; the session lives on. */
    goDown: () => served.close(),
    /** Listens again at the same place. */
    async comeBack(): Promise<void> {
      served = await serve(handler, { port })
    },
  }
}
