import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { connect } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { createNodeHandler, createSessionServer, serve, type SessionServer, type SessionServerOptions } from "../../src/server/index.ts"
import { API_KEY, SECRET } from "./support/createHarness.ts"
import { aRegistration, createPage } from "./support/createPage.ts"

interface Sent {
  readonly method?: string
  /** Behind the session's path. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
}

interface Got {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

async function listen(server: Pick<SessionServer, "fetch">): Promise<number> {
  const http = createServer(createNodeHandler(server))
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return (http.address() as AddressInfo).port
}

const send = (port: number, { method = "GET", path, headers = {}, body }: Sent): Promise<Got> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest({ port, host: "127.0.0.1", method, path, headers, agent: false }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
    })
    sent.on("error", reject)
    sent.end(body)
  })

/** One session server twice: with web-standard objects, as any framework has them, and without. */
async function twice(options: SessionServerOptions = {}) {
  const server = createSessionServer({ apiKey: API_KEY, secret: SECRET, allowedOrigins: ["https://app.example"], logger: { warn() {}, error() {} }, ...options })
  onTestFinished(() => server.close())
  const { id, token } = await server.createSession()
  const ports = { web: await listen({ fetch: (request) => server.fetch(request) }), direct: await listen(server) }
  const both = async (sent: Sent): Promise<{ web: Got; direct: Got }> => {
    const path = sent.path.replace("$root", `/v1/sessions/${id}`)
    return { web: await send(ports.web, { ...sent, path }), direct: await send(ports.direct, { ...sent, path }) }
  }
  return { server, id, token, ports, both }
}

/** What must be the same: everything, but when it was and how its length is told. */
const comparable = ({ status, headers: { date: _, "transfer-encoding": __, "content-length": ___, ...headers }, body }: Got) => ({
  status,
  headers,
  // Ids are random.
  body: body.replaceAll(/[0-9a-f]{32}/g, "<id>"),
})

const asPage = (token: string) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" })
const asAgent = asPage(API_KEY)
const BOM = "\uFEFF"

test.each<[string, (token: string) => Sent, status: number]>([
  ["without a token", () => ({ path: "$root/events" }), 401],
  ["with a token that is none", () => ({ path: "$root/events", headers: asPage("no") }), 401],
  ["with two tokens", (token) => ({ path: "$root/events", headers: { authorization: [`Bearer ${token}`, `Bearer ${token}`] } }), 401],
  ["of an agent with a session token", (token) => ({ path: "$root/tools", headers: asPage(token) }), 403],
  ["with a path that is not there", () => ({ path: "/v1/nothing" }), 404],
  ["with a path outside", () => ({ path: "/elsewhere" }), 404],
  ["with a path that a URL writes otherwise", () => ({ path: "/v1/x/../sessions/y/tools", headers: asAgent }), 404],
  ["with an encoded path", () => ({ path: "/v1/sessions/%73ome/tools", headers: asAgent }), 404],
  ["with a path that is not encoded properly", () => ({ path: "/v1/sessions/%E0%A4%A/tools", headers: asAgent }), 400],
  ["with a method that the path does not take", () => ({ method: "PUT", path: "$root/tools", headers: asAgent, body: "{}" }), 405],
  ["for the head alone", () => ({ method: "HEAD", path: "$root/tools", headers: asAgent }), 405],
  ["with a query", () => ({ path: "$root/tools?wait=0&wait=1", headers: asAgent }), 200],
  ["with a query that is wrong", () => ({ path: "$root/tools?wait=soon", headers: asAgent }), 400],
  ["with an entity tag", () => ({ path: "$root/tools", headers: { ...asAgent, "if-none-match": 'W/"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"' } }), 304],
  ["of a page that is allowed", (token) => ({ method: "DELETE", path: "$root/tool-clients/x", headers: { ...asPage(token), origin: "https://app.example" } }), 204],
  ["of a page that is not", (token) => ({ method: "DELETE", path: "$root/tool-clients/x", headers: { ...asPage(token), origin: "https://elsewhere.example" } }), 403],
  ["that asks before it is sent", () => ({ method: "OPTIONS", path: "$root/tool-clients", headers: { origin: "https://app.example", "access-control-request-method": "POST" } }), 204],
  ["without a body", (token) => ({ method: "POST", path: "$root/tool-clients", headers: asPage(token) }), 400],
  ["with a body of another type", (token) => ({ method: "POST", path: "$root/tool-clients", headers: { ...asPage(token), "content-type": "text/plain" }, body: "{}" }), 415],
  ["with a body that is no JSON", (token) => ({ method: "POST", path: "$root/tool-clients", headers: asPage(token), body: "{" }), 400],
  ["with a body that begins with a byte order mark", (token) => ({ method: "POST", path: "$root/tool-clients/x/ping", headers: asPage(token), body: `${BOM}{}` }), 404],
  ["with a body that is no UTF-8", (token) => ({ method: "POST", path: "$root/tool-clients", headers: asPage(token), body: Buffer.from([0x22, 0xff, 0x22]) }), 400],
  ["with a body that is too large", (token) => ({ method: "POST", path: "$root/tool-clients", headers: asPage(token), body: JSON.stringify("x".repeat(2_000_000)) }), 413],
  ["with a body of an unknown length", (token) => ({ method: "POST", path: "$root/tool-clients", headers: { ...asPage(token), "transfer-encoding": "chunked" }, body: JSON.stringify(aRegistration({ instance_id: "chunked" })) }), 201],
  ["with a body of an unknown length that is too large", (token) => ({ method: "POST", path: "$root/tool-clients", headers: { ...asPage(token), "transfer-encoding": "chunked" }, body: "x".repeat(1_100_000) }), 413],
  ["that makes a session", () => ({ method: "POST", path: "/v1/sessions", headers: asAgent }), 201],
])("A request %s is answered the same with web-standard objects and straight on Node.", async (_name, sentBy, status) => {
  const { both, token } = await twice()
  const { web, direct } = await both(sentBy(token))
  const withoutTokens = (got: Got) => ({ ...comparable(got), body: comparable(got).body.replace(/"token":"[^"]*"/, "").replace(/"expires_at":\d+/, "").replace('"name":"web_2"', '"name":"web"') })
  expect(withoutTokens(direct)).toEqual(withoutTokens(web))
  expect(direct.status).toBe(status)
})

test("A call goes its whole way straight on Node: registered, dispatched, acked, answered, told.", async () => {
  const { id, token, ports } = await twice()
  const page = createPage({ fetch, baseUrl: `http://127.0.0.1:${ports.direct}`, sessionId: id, token })
  const events = await page.stream()
  await events.nextOf("session.running")
  const { body: client } = await page.register()
  const outcome = send(ports.direct, { method: "POST", path: `/v1/sessions/${id}/tool-calls?wait=30`, headers: asAgent, body: JSON.stringify({ tool: "client__web__add", arguments: { text: "Grüße 🎈" } }) })
  const call = await events.nextOf("tool_call.dispatched")
  expect(call.arguments).toEqual({ text: "Grüße 🎈" })
  expect((await page.ack(client.id, call.call_id)).status).toBe(204)
  expect((await page.answer(client.id, call.call_id, { text: "ja 🎈" })).status).toBe(204)
  const { status, body } = await outcome
  expect([status, JSON.parse(body)]).toEqual([200, { call_id: call.call_id, text: "ja 🎈", is_error: false }])
  await events.cancel()
})

test("A wait is over when its agent goes away, and its call goes on.", async () => {
  const { server, id, token, ports } = await twice()
  const page = createPage({ fetch, baseUrl: `http://127.0.0.1:${ports.direct}`, sessionId: id, token })
  const events = await page.stream()
  await page.register()
  const gone = new AbortController()
  const left = fetch(`http://127.0.0.1:${ports.direct}/v1/sessions/${id}/tool-calls?wait=30`, { method: "POST", headers: asAgent, body: JSON.stringify({ tool: "client__web__add" }), signal: gone.signal })
  const { call_id, client_id } = await events.nextOf("tool_call.dispatched")
  gone.abort()
  await expect(left).rejects.toThrow()
  await page.answer(client_id, call_id, { text: "late" })
  const joined = await send(ports.direct, { path: `/v1/sessions/${id}/tool-calls/${call_id}`, headers: asAgent })
  expect(JSON.parse(joined.body)).toMatchObject({ text: "late" })
  expect(server.status).toBe("open")
  await events.cancel()
})

/** Writes a request by hand, and gives all that comes back until the connection is closed. */
const byHand = (port: number, text: string, after: (write: (more: string) => void, end: () => void) => void = () => {}): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(text)
      after((more) => void (socket.destroyed || socket.write(more)), () => void socket.destroy())
    })
    let got = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => (got += chunk))
    socket.on("error", () => {})
    socket.on("close", () => resolve(got))
  })

test("Who sends without end is answered, and cut off soon after.", async () => {
  const { id, token, ports } = await twice()
  const head = `POST /v1/sessions/${id}/tool-clients HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  let timer: ReturnType<typeof setInterval> | undefined
  const got = await byHand(ports.direct, head, (write) => {
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`
    timer = setInterval(() => write(chunk), 1)
  })
  clearInterval(timer)
  expect(got).toMatch(/^HTTP\/1\.1 413 /)
})

test("Who goes away in the middle of a body leaves the server as it was.", async () => {
  const { server, id, token, ports } = await twice()
  await byHand(ports.direct, `POST /v1/sessions/${id}/tool-clients HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`, (_write, end) => setTimeout(end, 5))
  expect(await server.tools(id)).toEqual([])
  expect((await send(ports.direct, { path: `/v1/sessions/${id}/tools`, headers: asAgent })).status).toBe(200)
})

test("Requests that stand behind one another in a connection are answered in their order.", async () => {
  const { id, ports } = await twice()
  const one = (path: string, more = ""): string => `GET /v1/sessions/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\n${more}\r\n`
  const got = await byHand(ports.direct, one(`${id}/tools`) + one("none/tools") + one(`${id}/tools`, "Connection: close\r\n"))
  expect([...got.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "404", "200"])
})

test("A handler that somebody has put around the server's own is not passed by.", async () => {
  const { server } = await twice()
  const seen: string[] = []
  const around = await listen({ ...server, fetch: (request) => (seen.push(new URL(request.url).pathname), server.fetch(request)) })
  await send(around, { path: "/v1/sessions/x/tools", headers: asAgent })
  expect(seen).toEqual(["/v1/sessions/x/tools"])
})

test("`authorize` gets a web-standard request without its body, also straight on Node.", async () => {
  const asked: unknown[] = []
  const { ports } = await twice({
    authorize: (request, { sessionId }) => {
      asked.push([request.method, request.url, request.headers.get("x-team"), request.body, sessionId])
      return null
    },
  })
  await send(ports.direct, { method: "POST", path: "/v1/sessions/some/tool-calls?wait=1", headers: { "x-team": "blue", "content-type": "application/json" }, body: "{}" })
  expect(asked).toEqual([["POST", `http://127.0.0.1:${ports.direct}/v1/sessions/some/tool-calls?wait=1`, "blue", null, "some"]])
})

test("A stream whose reader does not read holds no more than its limit, and goes on when it reads, however small the limit is.", async () => {
  const { id, token, server, ports } = await twice({ limits: { maxStreamQueueBytes: 100 } })
  const page = createPage({ fetch, baseUrl: `http://127.0.0.1:${ports.direct}`, sessionId: id, token })
  const events = await page.stream()
  await events.nextOf("session.running")
  await page.register()
  const text = "x".repeat(100_000)
  const outcomes = Array.from({ length: 50 }, () => server.callTool(id, "client__web__add", { text }))
  for (const outcome of outcomes) {
    const { call_id, client_id } = await events.nextOf("tool_call.dispatched")
    await page.answer(client_id, call_id)
    await outcome
  }
  await events.cancel()
})

test("At the limit of streams only one of several that come at once is let in.", async () => {
  const { id, token, ports } = await twice({ limits: { maxStreams: 1 } })
  const controller = new AbortController()
  const open = () => fetch(`http://127.0.0.1:${ports.direct}/v1/sessions/${id}/events`, { headers: asPage(token), signal: controller.signal })
  const statuses = await Promise.all([open(), open(), open()])
  expect(statuses.map(({ status }) => status).sort()).toEqual([200, 429, 429])
  controller.abort()
})

test("serve() refuses a name that is not its own before the session server is asked.", async () => {
  const { server } = await twice()
  const served = await serve(server)
  onTestFinished(() => served.close())
  const got = await send(served.port, { path: "/v1/sessions/x/tools", headers: { ...asAgent, host: "evil.example" } })
  expect([got.status, JSON.parse(got.body)]).toMatchObject([403, { error: { code: "host_not_allowed" } }])
})
