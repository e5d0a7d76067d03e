import { createSessionServer, type SessionServerOptions } from "../../../src/server/index.ts"
import { createFakeClock } from "../../../src/testing/fakeClock.ts"
import { createPage, type Page } from "./createPage.ts"

export const API_KEY = "key-of-the-agent"
export const SECRET = "a secret of thirty-two bytes, at least"

/** A server in this process under a clock that stands still, with one session and its page. */
export async function createHarness(options: SessionServerOptions = {}) {
  const clock = createFakeClock()
  const server = createSessionServer({ apiKey: API_KEY, secret: SECRET, clock, ...options })
  const { id: sessionId, token } = await server.createSession()
  const pageOf = (more: { sessionId?: string; token?: string; headers?: Record<string, string> } = {}): Page =>
    createPage({ fetch: server.fetch, sessionId, token, ...more })
  /** The agent is a page with another bearer. */
  const agent = pageOf({ token: API_KEY })
  return { clock, server, sessionId, token, page: pageOf(), agent, pageOf }
}
