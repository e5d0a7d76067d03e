import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, expect, test } from "vitest"
import { WebSocket } from "ws"
import { attachEventSockets, createNodeHandler, createSessionServer, serve, type ServedSession, type SessionServer } from "../../src/server/index.ts"
import { openWebSocketStream } from "../../src/wire/streamWebSocket.ts"

let server: SessionServer
let served: ServedSession
const nothing = { warn() {}, error() {} }

beforeEach(async () => {
  // The browser's own global; Node 20 has none.
  Object.assign(globalThis, { WebSocket })
  server = createSessionServer({ apiKey: "key", secret: "a secret of at least thirty-two bytes", allowedOrigins: ["https://app.example"], logger: nothing })
  served = await serve(server)
})

afterEach(async () => {
  await server.close()
  await served.close()
  Reflect.deleteProperty(globalThis, "WebSocket")
})

const eventsUrl = (id: string): string => `${served.url}/v1/sessions/${id}/events`
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The text of the stream until it holds `part`. */
async function readUntil(read: (onChunk: (chunk: Uint8Array) => void) => Promise<void>, part: string): Promise<string> {
  let text = ""
  await new Promise<void>((resolve, reject) => {
    read((chunk) => {
      text += new TextDecoder().decode(chunk)
      if (text.includes(part)) resolve()
    }).then(() => reject(new Error(`The stream ended: ${text}`)), reject)
  })
  return text
}

test("A session's stream comes over a WebSocket with the same events as over HTTP.", async () => {
  const { id, token } = await server.createSession()
  const controller = new AbortController()
  const stream = await openWebSocketStream(eventsUrl(id), bearer(token), controller.signal)
  expect(stream.status).toBe(200)
  expect(stream.header("content-type")).toBe("text/event-stream")
  expect(await readUntil(stream.read, "event: session.running")).toContain('data: {"running":false}')
  controller.abort()
})

test("A refusal over a WebSocket has the status and the body that it would have over HTTP.", async () => {
  const { id } = await server.createSession()
  const stream = await openWebSocketStream(eventsUrl(id), bearer("wrong"), new AbortController().signal)
  expect(stream.status).toBe(401)
  let body = ""
  await stream.read((chunk) => {
    body += new TextDecoder().decode(chunk)
  })
  expect(JSON.parse(body)).toMatchObject({ error: { code: expect.any(String) as string } })
})

test("A WebSocket resumes after the event that it names.", async () => {
  const { id, token } = await server.createSession()
  const first = new AbortController()
  const stream = await openWebSocketStream(eventsUrl(id), bearer(token), first.signal)
  const reading = readUntil(stream.read, '"running":true')
  await server.setRunning(id, true)
  const lastId = [...(await reading).matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? ""
  first.abort()
  await server.setRunning(id, false)

  const second = new AbortController()
  const resumed = await openWebSocketStream(eventsUrl(id), { ...bearer(token), "last-event-id": lastId }, second.signal)
  const text = await readUntil(resumed.read, '"running":false')
  expect(text).not.toContain("resync")
  second.abort()
})

test("An origin that is not allowed is answered 403 over a WebSocket too.", async () => {
  const { id, token } = await server.createSession()
  const statusFor = (origin: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(eventsUrl(id).replace("http", "ws"), { origin })
      socket.on("open", () => socket.send(JSON.stringify({ token })))
      socket.on("error", reject)
      socket.once("message", (head: Buffer) => {
        resolve((JSON.parse(head.toString()) as { status: number }).status)
        socket.close()
      })
    })
  expect(await statusFor("https://evil.example")).toBe(403)
  expect(await statusFor("https://app.example")).toBe(200)
})

test.each([["no JSON"], ['{"token": 7}'], ["[]"], ["null"]])("A first message of %s closes the WebSocket with a reason.", async (message) => {
  const { id } = await server.createSession()
  const socket = new WebSocket(eventsUrl(id).replace("http", "ws"))
  const closed = new Promise<[number, string]>((resolve) => {
    socket.on("close", (code, reason) => resolve([code, reason.toString()]))
  })
  socket.on("open", () => socket.send(message))
  expect(await closed).toEqual([1008, expect.stringContaining("token")])
})

test("The server ends the stream by closing the WebSocket with code 1000; any other code is a cut.", async () => {
  const { id, token } = await server.createSession()
  const ended = await openWebSocketStream(eventsUrl(id), bearer(token), new AbortController().signal)
  const reading = ended.read(() => {})
  await server.close()
  await expect(reading).resolves.toBeUndefined()
})

test("Closing what serves it cuts the WebSockets.", async () => {
  const { id, token } = await server.createSession()
  const stream = await openWebSocketStream(eventsUrl(id), bearer(token), new AbortController().signal)
  const reading = stream.read(() => {})
  reading.catch(() => {})
  await served.close()
  await expect(reading).rejects.toThrow("closed")
})

test("The stream over HTTP is answered with Event-Sockets: ?1 where there are WebSockets.", async () => {
  const { id, token } = await server.createSession()
  const controller = new AbortController()
  const overNode = await fetch(eventsUrl(id), { headers: bearer(token), signal: controller.signal })
  expect(overNode.headers.get("event-sockets")).toBe("?1")
  const handlerOnly = await server.fetch(new Request(eventsUrl(id), { headers: bearer(token), signal: controller.signal }))
  expect(handlerOnly.headers.get("event-sockets")).toBeNull()
  controller.abort()
})

test("A server that listens already offers the WebSockets from the moment that they are attached.", async () => {
  const http = createServer(createNodeHandler(server))
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  const attached = attachEventSockets(http, server)
  const { id, token } = await server.createSession()
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1/sessions/${id}/events`
  const stream = await openWebSocketStream(url, bearer(token), new AbortController().signal)
  expect(stream.status).toBe(200)
  const reading = stream.read(() => {})
  reading.catch(() => {})
  const close = await attached
  close()
  await expect(reading).rejects.toThrow("closed")
  http.close()
})
