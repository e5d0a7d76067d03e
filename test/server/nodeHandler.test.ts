import express, { type Express, type RequestHandler } from "express"
import { createServer, Server } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { WebSocket } from "ws"
import { createDeferred } from "../../src/lib/deferred.ts"
import { attachEventSockets, createNodeHandler, createSessionServer, type ServerEvent, type SessionServerOptions } from "../../src/server/index.ts"
import { API_KEY, SECRET } from "./support/createHarness.ts"
import { createPage } from "./support/createPage.ts"

async function listen(app: Express | Server): Promise<string> {
  const http = app instanceof Server ? app : createServer(app)
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

async function mounted(mount: (app: Express, handler: RequestHandler) => void, { base = "", ...options }: SessionServerOptions & { base?: string } = {}) {
  const server = createSessionServer({ apiKey: API_KEY, secret: SECRET, ...options })
  onTestFinished(() => server.close())
  const app = express()
  mount(app, createNodeHandler(server))
  const url = await listen(app)
  const { id: sessionId, token } = await server.createSession()
  return { server, page: createPage({ fetch, baseUrl: url + base, sessionId, token }), url, sessionId, token }
}

test.each<[string, RequestHandler]>([
  ["none", (_request, _response, next) => next()],
  ["express.json()", express.json()],
  ["express.text()", express.text({ type: "*/*" })],
  ["express.raw()", express.raw({ type: "*/*" })],
  ["express.urlencoded()", express.urlencoded()],
  ["several", (request, response, next) => express.text({ type: "*/*" })(request, response, () => express.json()(request, response, next))],
])("A body parser in front of the handler eats no body: %s.", async (_name, parser) => {
  const { page, server, sessionId } = await mounted((app, handler) => app.use(parser).all("/v1/{*path}", handler))
  const tools = [{ name: "add", description: "Grüße 🎈", parameters: JSON.parse('{"type":"object","__proto__":{"a":1}}') as object }]
  const { status, body } = await page.register({ tools: tools as never })
  expect(status).toBe(201)
  expect(JSON.stringify((await server.tools(sessionId))[0]?.parameters)).toBe('{"type":"object","__proto__":{"a":1}}')
  // Without a body as with one.
  expect((await page.send("POST", `/tool-clients/${body.id}/ping`)).status).toBe(204)
  expect((await page.ping(body.id, { suspended: true })).status).toBe(204)
  expect((await page.remove(body.id)).status).toBe(204)
})

test("A body parser's own limit and refusal are its own, and ours hold behind it.", async () => {
  const { page, url, sessionId, token } = await mounted((app, handler) => app.use(express.json({ limit: "50mb" })).all("/v1/{*path}", handler))
  expect((await page.register({ tools: Array.from({ length: 200 }, (_, index) => ({ name: `t${index}`, description: "", parameters: { type: "object" } })) })).status).toBe(400)
  const huge = await fetch(`${url}/v1/sessions/${sessionId}/tool-clients`, {
    method: "POST",
    headers: { "authorization": `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ text: "x".repeat(2_000_000) }),
  })
  expect(huge.status).toBe(413)
})

test.each<[string, (app: Express, handler: RequestHandler) => unknown, string, string]>([
  ["a path that Express takes away", (app, handler) => app.use("/agents", handler), "/agents", ""],
  ["a path that the server is told of", (app, handler) => app.all("/agents/v1/{*path}", handler), "/agents", "/agents"],
  ["a router", (app, handler) => app.use("/agents", express.Router().all("/v1/{*path}", handler)), "/agents", ""],
])("The handler serves below %s.", async (_name, mount, base, basePath) => {
  const { page } = await mounted((app, handler) => void mount(app, handler), { base, basePath })
  expect((await page.register()).status).toBe(201)
  const events = await page.stream()
  await events.nextOf("session.running")
  await events.cancel()
})

test.each([
  ["that Express takes away", "", "/agents"],
  ["that the server is told of", "/agents", ""],
])("Sockets serve below a path %s.", async (_name, basePath, mountPath) => {
  const server = createSessionServer({ apiKey: API_KEY, secret: SECRET, basePath })
  onTestFinished(() => server.close())
  const app = express()
  if (mountPath) app.use(mountPath, createNodeHandler(server))
  else app.all("/agents/v1/{*path}", createNodeHandler(server))
  const http = createServer(app)
  onTestFinished(await attachEventSockets(http, server, { mountPath }))
  const url = await listen(http)
  const { id, token } = await server.createSession()
  const socket = new WebSocket(`${url.replace("http", "ws")}/agents/v1/sessions/${id}/events`)
  const first = new Promise((resolve) => socket.once("message", (data: Buffer) => resolve(JSON.parse(data.toString()))))
  socket.once("open", () => socket.send(JSON.stringify({ token })))
  expect(await first).toMatchObject({ status: 200 })
  const stream = await fetch(`${url}/agents/v1/sessions/${id}/events`, { headers: { authorization: `Bearer ${token}` } })
  expect(stream.headers.get("event-sockets")).toBe("?1")
  await stream.body?.cancel()
  socket.terminate()
})

test("Sockets are not offered elsewhere than below their path.", async () => {
  await expect(attachEventSockets(createServer(), createSessionServer({ secret: SECRET }), { mountPath: "/agents/" })).rejects.toThrow("mountPath must be a path")
})

test("A page that goes away ends its stream at the server, through Express too.", async () => {
  const closed = createDeferred<ServerEvent>()
  const observer = (event: ServerEvent) => void (event.type === "stream.closed" && closed.resolve(event))
  const { page } = await mounted((app, handler) => app.all("/v1/{*path}", handler), { observers: [observer] })
  const events = await page.stream()
  await events.nextOf("session.running")
  await events.cancel()
  expect(await closed.promise).toMatchObject({ reason: "reader" })
})
