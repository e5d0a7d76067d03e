// The same server over real sockets: what only a network can show.
import { connect, type Socket } from "node:net"
import { afterEach, expect, test } from "vitest"
import { createSessionServer, serve, type SessionServerOptions } from "../../src/server/index.ts"
import { API_KEY, SECRET } from "./support/createHarness.ts"
import { createPage, type Page } from "./support/createPage.ts"

const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function createLoopback(options: SessionServerOptions = {}) {
  const server = createSessionServer({ apiKey: API_KEY, secret: SECRET, ...options })
  const served = await serve(server)
  cleanUps.push(served.close, server.close)
  const { id: sessionId, token } = await server.createSession()
  const pageOf = (bearer: string, headers: Record<string, string> = {}): Page =>
    createPage({ fetch: (request) => fetch(request), baseUrl: served.url, sessionId, token: bearer, headers })
  return { server, served, sessionId, token, page: pageOf(token), agent: pageOf(API_KEY), pageOf }
}

/** Speaks HTTP by hand, so that the test decides when the socket breaks. */
async function openRawStream(port: number, sessionId: string, token: string, lines: readonly string[] = []): Promise<{ socket: Socket; until(text: string): Promise<string> }> {
  const socket = connect(port, "127.0.0.1")
  let received = ""
  const wakers = new Set<() => void>()
  socket.on("data", (chunk) => {
    received += String(chunk)
    for (const wake of [...wakers]) wake()
  })
  socket.on("error", () => {})
  socket.write([`GET /v1/sessions/${sessionId}/events HTTP/1.1`, "Host: 127.0.0.1", `Authorization: Bearer ${token}`, ...lines, "", ""].join("\r\n"))
  return {
    socket,
    async until(text) {
      while (!received.includes(text)) {
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            wakers.delete(wake)
            resolve()
          }
          wakers.add(wake)
        })
      }
      return received
    },
  }
}

test("An agent's call over HTTP reaches the page and comes back with its answer.", async () => {
  const { page, agent } = await createLoopback()
  const events = await page.stream()
  expect((await events.next()).type).toBe("session.running")
  const { body: client } = await page.register()
  const answered = agent.send("POST", "/tool-calls?wait=60", { tool: "client__web__add", arguments: { text: "Grüße 🎈" } })
  const call = await events.nextOf("tool_call.dispatched")
  expect(call.arguments).toEqual({ text: "Grüße 🎈" })
  await page.ack(client.id, call.call_id)
  await page.answer(client.id, call.call_id, { text: "été 🎈" })
  expect(await answered).toMatchObject({ status: 200, body: { call_id: call.call_id, text: "été 🎈", is_error: false } })
})

test("A stream that was cut in the middle resumes without a gap and without a repeat.", async () => {
  const { server, served, sessionId, token, page } = await createLoopback()
  const raw = await openRawStream(served.port, sessionId, token)
  await raw.until("session.running")
  const { body: client } = await page.register()
  const outcome = server.callTool(sessionId, "client__web__add", { text: "x".repeat(100_000) })
  const head = await raw.until("tool_client.registered")
  // Cut while the dispatch may be half on its way: only whole events count.
  raw.socket.destroy()
  const lastId = [...head.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1]
  await page.update(client.id, 1, [])
  const resumed = await page.stream(lastId)
  const names = []
  for (let event = await resumed.next(); ; event = await resumed.next()) {
    names.push(event.type)
    if (event.type !== "tool_call.dispatched") continue
    await page.answer(client.id, event.data.call_id)
    break
  }
  expect(names.slice(-3)).toEqual(["tool_client.updated", "session.running", "tool_call.dispatched"])
  expect((await outcome).text).toBe("done")
})

test("A page that goes away frees its stream at the server.", async () => {
  const { served, sessionId, token, page, server } = await createLoopback({ limits: { maxStreams: 1 } })
  const raw = await openRawStream(served.port, sessionId, token)
  await raw.until("session.running")
  expect((await page.send("GET", "/events")).status).toBe(429)
  raw.socket.destroy()
  let status = 429
  while (status === 429) {
    const response = await fetch(`${served.url}/v1/sessions/${sessionId}/events`, { headers: { authorization: `Bearer ${token}` } })
    status = response.status
    if (status === 429) await response.text()
    else await response.body?.cancel()
  }
  expect(status).toBe(200)
  await server.close()
})

test("The headers and the first event of a stream arrive while nothing happens.", async () => {
  const { served, sessionId, token } = await createLoopback({ allowedOrigins: ["https://app.example"] })
  const raw = await openRawStream(served.port, sessionId, token, ["Origin: https://app.example"])
  const received = (await raw.until("event: session.running\ndata: {\"running\":false}")).toLowerCase()
  for (const header of ["content-type: text/event-stream", "cache-control: no-cache, no-transform", "x-accel-buffering: no", "access-control-allow-origin: https://app.example"]) {
    expect(received).toContain(header)
  }
  raw.socket.destroy()
})

test("A stream ends cleanly over the network when the server closes, and every later request is answered 503.", async () => {
  const { server, page } = await createLoopback()
  const events = await page.stream()
  await events.next()
  await server.close()
  expect(await events.ended).toBeUndefined()
  expect((await page.ping("x")).status).toBe(503)
})

test("The disconnection of a waiting agent cancels nothing.", async () => {
  const { page, agent, pageOf, served, sessionId } = await createLoopback()
  const events = await page.stream()
  const { body: client } = await page.register()
  const controller = new AbortController()
  const waiting = fetch(`${served.url}/v1/sessions/${sessionId}/tool-calls?wait=60`, {
    method: "POST",
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json", "idempotency-key": "one" },
    body: JSON.stringify({ tool: "client__web__add" }),
    signal: controller.signal,
  })
  const call = await events.nextOf("tool_call.dispatched")
  controller.abort()
  await expect(waiting).rejects.toThrow()
  expect((await page.answer(client.id, call.call_id)).status).toBe(204)
  const outcome = { status: 200, body: { call_id: call.call_id, text: "done", is_error: false } }
  expect(await agent.send("GET", `/tool-calls/${call.call_id}`)).toMatchObject(outcome)
  expect(await pageOf(API_KEY, { "idempotency-key": "one" }).send("POST", "/tool-calls", { tool: "client__web__add" })).toMatchObject(outcome)
})

test("A body without an announced length is cut off at the limit over the network too.", async () => {
  const { served, sessionId, token } = await createLoopback({ limits: { maxBodyBytes: 10_000 } })
  const socket = connect(served.port, "127.0.0.1")
  socket.on("error", () => {})
  const answered = new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(String(chunk))))
  socket.write(
    [`POST /v1/sessions/${sessionId}/tool-clients HTTP/1.1`, "Host: 127.0.0.1", `Authorization: Bearer ${token}`, "Content-Type: application/json", "Transfer-Encoding: chunked", "", ""].join("\r\n"),
  )
  for (let count = 0; count < 20; count++) socket.write(`3e8\r\n${"x".repeat(1000)}\r\n`)
  expect(await answered).toMatch(/^HTTP\/1\.1 413 /)
  socket.destroy()
})

test("Several tabs of one session each see all events.", async () => {
  const { page, server, sessionId } = await createLoopback()
  const streams = await Promise.all(Array.from({ length: 5 }, () => page.stream()))
  for (const stream of streams) await stream.nextOf("session.running")
  await server.setRunning(sessionId, true)
  for (const stream of streams) expect(await stream.nextOf("session.running")).toEqual({ running: true })
})

test("A served session server can be served again after its listener was closed, with all it knows.", async () => {
  const { server, served, sessionId, token, page } = await createLoopback()
  const events = await page.stream()
  await events.next()
  await page.register()
  await served.close()
  await events.ended
  await served.close()
  const again = await serve(server, { port: served.port })
  cleanUps.push(again.close)
  expect(again.url).toBe(served.url)
  expect(await server.tools(sessionId)).toHaveLength(1)
  await expect(serve(server, { port: served.port })).rejects.toMatchObject({ code: "EADDRINUSE" })
  const back = createPage({ fetch: (request) => fetch(request), baseUrl: again.url, sessionId, token })
  expect((await back.register()).status).toBe(201)
})
