/** What an operator's machines ask of a served session server: whether it lives, whether it is ready, and its numbers. */
import { createApiKeys } from "../server/apiKeys.ts"
import { directAnswerOf, withDirectAnswer } from "../server/directAnswer.ts"
import { type Metrics, METRICS_CONTENT_TYPE } from "../server/metrics.ts"
import type { SessionServer } from "../server/sessionServer.ts"

export interface OperatorRoutesOptions {
  readonly server: Pick<SessionServer, "fetch" | "readiness">
  readonly metrics: Metrics
  /** Who may read the numbers: they tell how much the server is used. */
  readonly apiKeys: readonly string[]
}

const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(`${body}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...headers } })

/** The session server, with `/healthz`, `/readyz` and `/metrics` beside it. */
export function createOperatorRoutes({ server, metrics, apiKeys }: OperatorRoutesOptions): Pick<SessionServer, "fetch"> {
  const keys = createApiKeys(apiKeys)
  return {
    // What is beside the session server's paths is not taken directly.
    fetch: withDirectAnswer(async (request) => {
      // A probe may ask for the head alone; Node sends no body then.
      if (request.method !== "GET" && request.method !== "HEAD") return server.fetch(request)
      switch (new URL(request.url).pathname) {
        case "/healthz":
          return text(200, "ok")
        case "/readyz": {
          const readiness = server.readiness()
          return readiness.status === "ready" ? text(200, "ready") : text(503, readiness.reason)
        }
        case "/metrics":
          if (await keys.areIn(request)) return text(200, metrics.text().trimEnd(), { "content-type": METRICS_CONTENT_TYPE })
          return text(401, "The metrics need the API key: Authorization: Bearer <API key>", { "www-authenticate": "Bearer" })
        default:
          return server.fetch(request)
      }
    }, directAnswerOf(server.fetch)),
  }
}
