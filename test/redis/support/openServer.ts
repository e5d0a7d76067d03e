import { afterEach } from "vitest"
import { createSessionServer, type SessionServer, type SessionServerOptions } from "../../../src/server/index.ts"
import { redisStore } from "../../../src/server/redis/index.ts"
import { createPage, type Page } from "../../server/support/createPage.ts"

export const API_KEY = "key-of-the-agent"
export const SECRET = "a secret of thirty-two bytes, at least"

export interface OpenServer {
  readonly server: SessionServer
  /** What the server has said to its operator. */
  readonly logged: readonly string[]
  page(sessionId: string, token: string): Page
}

const open: SessionServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

/** One of several servers, in this process: it shares nothing with the others but Redis and the secret. */
export function openServer(url: string, options: SessionServerOptions = {}): OpenServer {
  const logged: string[] = []
  const logger = {
    info() {},
    warn: (message: string) => logged.push(message),
    error: (message: string, error: unknown) => logged.push(`${message} ${String(error)}`),
  }
  const server = createSessionServer({ apiKey: API_KEY, secret: SECRET, logger, ...options, store: options.store ?? redisStore({ url }) })
  open.push(server)
  return { server, logged, page: (sessionId, token) => createPage({ fetch: server.fetch, sessionId, token }) }
}
