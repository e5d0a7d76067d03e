// A session server in a Hono application, here on Node; the handler itself runs wherever Hono does.
import { serve } from "@hono/node-server"
import { Hono } from "hono"
import { compress } from "hono/compress"
import { attachEventSockets, createSessionServer } from "react-tool-client/server"

const sessions = createSessionServer({
  apiKey: process.env.API_KEY,
  secret: process.env.SESSION_SECRET,
  allowedHosts: ["localhost", "127.0.0.1"],
})
const app = new Hono()

// Leaves event streams alone, which are sent with `Cache-Control: no-transform`.
app.use(compress())

app.all("/v1/*", (context) => sessions.fetch(context.req.raw))

app.post("/session", async (context) => {
  // Look first who is signed in: one session is one person.
  return context.json(await sessions.createSession())
})

const http = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 8787), hostname: "127.0.0.1" }, ({ port }) => {
  console.log(`Listening at http://127.0.0.1:${port}`)
})

// The event stream over WebSocket too, so that a browser's seventh tab is served over HTTP/1.1.
await attachEventSockets(http, sessions)

process.once("SIGTERM", async () => {
  await sessions.drain()
  http.close()
})
