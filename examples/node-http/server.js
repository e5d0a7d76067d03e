// A session server beside an application's own routes, on nothing but Node.
import { createServer } from "node:http"
import { attachEventSockets, createNodeHandler, createSessionServer } from "react-tool-client/server"

const sessions = createSessionServer({
  apiKey: process.env.API_KEY,
  secret: process.env.SESSION_SECRET,
  allowedHosts: ["localhost", "127.0.0.1"],
})
const handler = createNodeHandler(sessions)

const http = createServer(async (request, response) => {
  if (request.url?.startsWith("/v1/")) return handler(request, response)
  if (request.method === "POST" && request.url === "/session") {
    // Look first who is signed in: one session is one person.
    response.setHeader("Content-Type", "application/json")
    return response.end(JSON.stringify(await sessions.createSession()))
  }
  response.statusCode = 404
  response.end("Nothing here.\n")
})

// The event stream over WebSocket too, so that a browser's seventh tab is served over HTTP/1.1.
await attachEventSockets(http, sessions)

http.listen(Number(process.env.PORT ?? 8787), "127.0.0.1", () => {
  console.log(`Listening at http://127.0.0.1:${http.address().port}`)
})

process.once("SIGTERM", async () => {
  await sessions.drain()
  http.close()
})
