import { createSessionServer, type SessionServer } from "react-tool-client/server"

const kept = globalThis as { sessionServer?: SessionServer }

/** One for the whole process: Next loads this file once for each route, and anew after each change. */
export function sessionServer(): SessionServer {
  kept.sessionServer ??= createSessionServer({
    apiKey: process.env.AGENT_API_KEY,
    secret: process.env.SESSION_SECRET,
  })
  return kept.sessionServer
}
