import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { WebSocket } from "ws"
import { attachEventSockets, createNodeHandler, createSessionServer } from "../../src/server/index.ts"

const KEY = "key-of-the-agent"

it("A session server is found below a path that is not of ASCII, and so are its sockets below what a framework takes off.", async () => {
  const sessions = createSessionServer({ basePath: "/größe", apiKey: KEY, secret: "s".repeat(32) })
  const handle = createNodeHandler(sessions)
  const http = createServer((incoming, outgoing) => {
    incoming.url = incoming.url?.replace(encodeURI("/töpfe"), "")
    void handle(incoming, outgoing)
  })
  const stop = await attachEventSockets(http, sessions, { mountPath: "/töpfe" })
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  onTestFinished(async () => {
    stop()
    await sessions.close()
    http.closeAllConnections()
    http.close()
  })
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}/töpfe/größe/v1/sessions`
  const response = await fetch(base, { method: "POST", headers: { authorization: `Bearer ${KEY}` } })
  expect(response.status).toBe(201)
  const { id, token } = (await response.json()) as { id: string; token: string }
  const socket = new WebSocket(`${base.replace("http", "ws")}/${id}/events`)
  onTestFinished(() => socket.terminate())
  socket.on("open", () => socket.send(JSON.stringify({ token })))
  const first = await new Promise((resolve, reject) => {
    socket.once("message", (data: Buffer) => resolve(JSON.parse(data.toString())))
    socket.once("error", reject)
  })
  expect(first).toMatchObject({ status: 200 })
})
