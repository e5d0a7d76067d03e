import { type ClientHttp2Session, type ClientHttp2Stream, connect, createSecureServer, createServer, type Http2Server, type IncomingHttpHeaders } from "node:http2"
import type { AddressInfo, Server } from "node:net"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { attachEventSockets, createNodeHandler, createSessionServer, type ServerEvent, type SessionServerOptions } from "../../src/server/index.ts"
import { createCertificate } from "./support/createCertificate.ts"
import { API_KEY, SECRET } from "./support/createHarness.ts"
import { createPage } from "./support/createPage.ts"

const certificate = await createCertificate()

/** Headers that belong to one connection of HTTP/1, and make a message of HTTP/2 malformed (RFC 9113 §8.2.2). */
const OF_CONNECTIONS = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]

interface Got {
  readonly headers: IncomingHttpHeaders
  readonly status: number
  readonly stream: ClientHttp2Stream
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  text(): Promise<string>
}

const KINDS = {
  "TLS": { make: () => createSecureServer(certificate), scheme: "https" },
  "TLS, with HTTP/1 beside it": { make: () => createSecureServer({ ...certificate, allowHTTP1: true }), scheme: "https" },
  "no encryption (h2c)": { make: () => createServer(), scheme: "http" },
} as const

async function opened(kind: keyof typeof KINDS, options: SessionServerOptions = {}) {
  const { make, scheme } = KINDS[kind]
  const told: ServerEvent[] = []
  const failed = vi.fn()
  const server = createSessionServer({ apiKey: API_KEY, secret: SECRET, logger: { warn() {}, error: failed }, observers: [(event) => told.push(event)], ...options })
  const http: Http2Server = make()
  http.on("request", createNodeHandler(server))
  const detach = await attachEventSockets(http, server)
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  const { port } = http.address() as AddressInfo
  const url = `${scheme}://localhost:${port}`
  const session: ClientHttp2Session = connect(`${scheme}://127.0.0.1:${port}`, { ca: certificate.cert })
  onTestFinished(async () => {
    detach()
    await server.close()
    session.destroy()
    await new Promise((resolve) => (http as Server).close(resolve))
    expect(failed).not.toHaveBeenCalled()
  })
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string | Uint8Array): Promise<Got> =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ":method": method, ":path": path, ":authority": `localhost:${port}`, ...headers }, { endStream: body === undefined })
      stream.on("error", reject)
      stream.on("response", (answered) => {
        const web = new ReadableStream<Uint8Array<ArrayBuffer>>({
          start(controller) {
            stream.on("data", (chunk: Buffer) => controller.enqueue(new Uint8Array(chunk)))
            stream.on("end", () => controller.close())
          },
          cancel() {
            stream.removeAllListeners("data").removeAllListeners("end")
            stream.close()
          },
        })
        expect(Object.keys(answered).filter((name) => OF_CONNECTIONS.includes(name))).toEqual([])
        resolve({ headers: answered, status: Number(answered[":status"]), stream, body: web, text: () => new Response(web).text() })
      })
      if (body !== undefined) stream.end(body)
    })
  /** As a browser's `fetch` over this connection. */
  async function fetch(request: Request): Promise<Response> {
    const body = await request.text()
    const got = await send(request.method, request.url.slice(url.length), Object.fromEntries(request.headers), body === "" ? undefined : body)
    return new Response(got.status === 204 ? null : got.body, { status: got.status, headers: Object.entries(got.headers).flatMap(([name, value]): [string, string][] => (name.startsWith(":") ? [] : [[name, String(value)]])) })
  }
  const { id: sessionId, token } = await server.createSession()
  return { server, told, url, send, session, sessionId, page: createPage({ fetch, baseUrl: url, sessionId, token }), root: `/v1/sessions/${sessionId}`, asPage: { authorization: `Bearer ${token}`, "content-type": "application/json" } }
}

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])("Over HTTP/2 with %s", (kind) => {
  test("a call goes its whole way, and its page goes.", async () => {
    const { server, told, page, send, root, sessionId } = await opened(kind)
    const events = await page.stream()
    await events.nextOf("session.running")
    const { body: client } = await page.register()
    const outcome = send("POST", `${root}/tool-calls?wait=30`, { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" }, JSON.stringify({ tool: "client__web__add", arguments: { text: "Grüße 🎈" } }))
    const call = await events.nextOf("tool_call.dispatched")
    expect(call.arguments).toEqual({ text: "Grüße 🎈" })
    expect((await page.ack(client.id, call.call_id)).status).toBe(204)
    expect((await page.answer(client.id, call.call_id, { text: "ja 🎈" })).status).toBe(204)
    expect(JSON.parse(await (await outcome).text())).toMatchObject({ text: "ja 🎈", is_error: false })
    await events.cancel()
    await vi.waitFor(() => expect(told).toContainEqual(expect.objectContaining({ type: "stream.closed", reason: "reader", sessionId })))
    expect(server.status).toBe("open")
  })

  test("uploads above the limit are answered 413, also when their length was not announced, and the connection goes on.", async () => {
    const { send, root, asPage, page } = await opened(kind, { limits: { maxBodyBytes: 100_000 } })
    const large = JSON.stringify("x".repeat(200_000))
    for (const headers of [asPage, { ...asPage, "content-length": String(large.length) }]) {
      const refused = await send("POST", `${root}/tool-clients`, headers, large)
      expect([refused.status, JSON.parse(await refused.text())]).toMatchObject([413, { error: { code: "body_too_large" } }])
    }
    expect((await page.register()).status).toBe(201)
  })

  test("a stream that is reset in the middle of a body or of a wait leaves the others as they are.", async () => {
    const { session, root, asPage, page, server, sessionId } = await opened(kind)
    const events = await page.stream()
    const { body: client } = await page.register()
    const half = session.request({ ":method": "POST", ":path": `${root}/tool-clients`, ...asPage, "content-length": "1000" })
    half.on("error", () => {})
    half.write("{")
    const waiting = session.request({ ":method": "POST", ":path": `${root}/tool-calls?wait=30`, "authorization": `Bearer ${API_KEY}`, "content-type": "application/json" })
    waiting.on("error", () => {})
    waiting.end(JSON.stringify({ tool: "client__web__add" }))
    const { call_id } = await events.nextOf("tool_call.dispatched")
    half.close(8) // CANCEL
    waiting.close(8)
    await page.answer(client.id, call_id, { text: "late" })
    expect((await page.ping(client.id)).status).toBe(204)
    expect(await server.tools(sessionId)).toHaveLength(1)
    await events.cancel()
  })

  test("`:authority` says which host is meant, and which origin is its own.", async () => {
    const { send, root, asPage, url, session } = await opened(kind, { allowedHosts: ["localhost"] })
    expect((await send("DELETE", `${root}/tool-clients/x`, { ...asPage, origin: url })).status).toBe(204)
    expect((await send("DELETE", `${root}/tool-clients/x`, { ...asPage, origin: "https://elsewhere.example" })).status).toBe(403)
    const elsewhere = await send("DELETE", `${root}/tool-clients/x`, { ...asPage, ":authority": "elsewhere.example" })
    expect([elsewhere.status, JSON.parse(await elsewhere.text())]).toMatchObject([403, { error: { code: "host_not_allowed" } }])
    // With a good `Host` beside it, and one that is no host at all.
    const twice = await send("DELETE", `${root}/tool-clients/x`, { ...asPage, ":authority": "elsewhere.example", "host": "localhost" })
    expect([twice.status, await twice.text()]).toEqual([400, expect.stringContaining("two hosts")])
    expect((await send("DELETE", `${root}/tool-clients/x`, { ...asPage, ":authority": "localhost:99999" })).status).toBe(400)
    expect(session.destroyed).toBe(false)
  })

  test("refusals are told, and no sockets are offered, which HTTP/2 does not have.", async () => {
    const { send, root, asPage } = await opened(kind)
    expect((await send("GET", `${root}/events`)).status).toBe(401)
    expect((await send("PATCH", `${root}/events`, asPage)).status).toBe(405)
    expect((await send("HEAD", `${root}/events`, asPage)).status).toBe(405)
    expect((await send("GET", "/v1/%E0%A4%A", asPage)).status).toBe(400)
    expect((await send("GET", "/nowhere")).status).toBe(404)
    const { headers, stream } = await send("GET", `${root}/events`, asPage)
    expect(headers).toMatchObject({ "content-type": "text/event-stream" })
    expect(headers).not.toHaveProperty("event-sockets")
    stream.close()
  })
})
