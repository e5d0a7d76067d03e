// A session server in an Express application.
import express from "express"
import { attachEventSockets, createNodeHandler, createSessionServer } from "react-tool-client/server"

const sessions = createSessionServer({
  apiKey: process.env.API_KEY,
  secret: process.env.SESSION_SECRET,
  allowedHosts: ["localhost", "127.0.0.1"],
})
const app = express()

// Before body parsers and compression: what is not theirs does not pass through them.
app.all("/v1/{*path}", createNodeHandler(sessions))

app.use(express.json())

app.post("/session", async (request, response) => {
  // Look first who is signed in: one session is one person.
  response.json({ ...(await sessions.createSession()), greeting: `Hello ${request.body?.name ?? "you"}` })
})

const http = app.listen(Number(process.env.PORT ?? 8787), "127.0.0.1", () => {
  console.log(`Listening at http://127.0.0.1:${http.address().port}`)
})

// The event stream over WebSocket too, so that a browser's seventh tab is served over HTTP/1.1.
await attachEventSockets(http, sessions)

process.once("SIGTERM", async () => {
  await sessions.drain()
  http.close()
})
