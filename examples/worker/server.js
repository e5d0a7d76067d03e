// A session server to try the worker with, and one session.
import { createSessionServer, serve } from "react-tool-client/server"

const apiKey = process.env.API_KEY ?? "dev"
const server = createSessionServer({ apiKey, logger: { warn() {}, error: console.error } })
const { url } = await serve(server, { port: Number(process.env.PORT ?? 0) })
const { id, token } = await server.createSession()

console.log(`The worker, in another terminal:

SERVER_URL=${url} SESSION_ID=${id} SESSION_TOKEN=${token} node worker.js

An agent's call, in a third:

curl ${url}/v1/sessions/${id}/tool-calls -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" \\
  -d '{"tool":"client__database__find_customer","arguments":{"name":"ada"}}'
`)
