import { createServer, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { connect } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { createDeferred } from "../../src/lib/deferred.ts"
import { createNodeHandler, createSessionServer, serve, type ServerEvent, type SessionServer, SessionServerError, type SessionServerOptions } from "../../src/server/index.ts"
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

/** @param before - Done with each request before the handler has it. */
async function listen(server: Pick<SessionServer, "fetch">, before: (incoming: IncomingMessage, outgoing: ServerResponse) => void = () => {}): Promise<number> {
  const handler = createNodeHandler(server)
  const http = createServer((incoming, outgoing) => {
    before(incoming, outgoing)
    handler(incoming, outgoing)
  })
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return (http.address() as AddressInfo).port
}

/** The same handler, but with web-standard objects alone, as any framework has them. */
const throughWeb = (server: SessionServer): Pick<SessionServer, "fetch"> => ({ fetch: (request) => server.fetch(request) })

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
  const ports = { web: await listen(throughWeb(server)), direct: await listen(server) }
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

test("A stream that stands behind another answer in a connection ends with it.", async () => {
  const closed = createDeferred<ServerEvent>()
  const opened = createDeferred<void>()
  const { server, id, token } = await twice({
    observers: [(event) => void (event.type === "stream.opened" ? opened.resolve() : event.type === "stream.closed" && closed.resolve(event))],
  })
  const port = await listen(server)
  const { headers } = await send(port, { path: `/v1/sessions/${id}/tools`, headers: asAgent })
  const one = (path: string, bearer: string, more = ""): string => `GET /v1/sessions/${id}/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\n${more}\r\n`
  const wait = one("tools?wait=300", API_KEY, `If-None-Match: ${headers.etag}\r\n`)
  await byHand(port, wait + one("events", token), (_write, end) => void opened.promise.then(end))
  expect(await closed.promise).toMatchObject({ reason: "reader" })
})

test("A handler that somebody has put around the server's own is not passed by.", async () => {
  const { server } = await twice()
  const seen: string[] = []
  const around = await listen({ ...server, fetch: (request) => (seen.push(new URL(request.url).pathname), server.fetch(request)) })
  await send(around, { path: "/v1/sessions/x/tools", headers: asAgent })
  expect(seen).toEqual(["/v1/sessions/x/tools"])
})

test.each<[string, (fetch: SessionServer["fetch"], seen: () => void) => SessionServer["fetch"]]>([
  ["takes over all that stands on it", (fetch, seen) => Object.assign((request: Request) => (seen(), fetch(request)), Object.fromEntries(Reflect.ownKeys(fetch).filter((key) => typeof key === "symbol").map((key) => [key, fetch[key as never] as unknown])))],
  ["is a proxy", (fetch, seen) => new Proxy(fetch, { apply: (target, self, args) => (seen(), Reflect.apply(target, self, args) as Promise<Response>) })],
])("A handler around the server's own that %s is not passed by either.", async (_name, around) => {
  const { server } = await twice()
  let seen = 0
  const port = await listen({ fetch: around(server.fetch, () => seen++) })
  expect((await send(port, { path: "/v1/sessions/x/tools", headers: asAgent })).status).toBe(404)
  expect(seen).toBe(1)
})

test.each(["localhost", "LOCALHOST:1", "a-b_c.example:65535", "127.0.0.1:8787", "[::1]:1", "999.1.1.1", "1.2.3", "010.0.0.1", "0x7f.1", "x:65536", "x:99999", "xn--a", "a.xn--a.b", "[::::]", "[0::1]", "x.1"])(
  "A request of a page elsewhere that is addressed to %s is answered the same both ways, and no failure of the server's.",
  async (host) => {
    const errors: unknown[] = []
    const { both } = await twice({ logger: { warn() {}, error: (...all: unknown[]) => void errors.push(all) } })
    const { web, direct } = await both({ path: "$root/tools", headers: { ...asAgent, host, origin: "https://elsewhere.example" } })
    expect(comparable(direct)).toEqual(comparable(web))
    expect([400, 403]).toContain(direct.status)
    expect(errors).toEqual([])
  },
)

test.each(["web", "direct"] as const)("What a client has sent as a whole counts although it has gone before it was read: %s.", async (way) => {
  const [asked, gone] = [createDeferred<void>(), createDeferred<void>()]
  const { server, id, token, ports } = await twice({
    async authorize() {
      asked.resolve()
      await gone.promise
      return "somebody"
    },
  })
  const port = await listen(way === "web" ? throughWeb(server) : server, ({ socket }) => void socket.once("close", () => gone.resolve()))
  const page = createPage({ fetch, baseUrl: `http://127.0.0.1:${ports.direct}`, sessionId: id, token })
  const events = await page.stream()
  await page.register()
  const body = JSON.stringify({ tool: "client__web__add", arguments: { text: "Grüße 🎈" } })
  await byHand(port, `POST /v1/sessions/${id}/tool-calls?wait=0 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, (_write, end) => {
    void asked.promise.then(end)
  })
  expect((await events.nextOf("tool_call.dispatched")).arguments).toEqual({ text: "Grüße 🎈" })
  await events.cancel()
})

test("A refusal that HTTP cannot carry is a failure that the log tells of, and the process lives.", async () => {
  const errors: unknown[] = []
  const { both } = await twice({
    logger: { warn() {}, error: (...all: unknown[]) => void errors.push(all) },
    authorize: () => {
      throw new SessionServerError(403, "wrong_session", "No.", { headers: { "x-why": "“nein”" } })
    },
  })
  const { web, direct } = await both({ path: "$root/tools" })
  expect([web.status, direct.status]).toEqual([500, 500])
  expect(errors).toEqual([["The session server failed.", expect.objectContaining({ code: "ERR_INVALID_CHAR" })]])
})

test("What somebody has put around a response's methods need not give the response back.", async () => {
  const { server } = await twice()
  const port = await listen(server, (_incoming, outgoing) => {
    const writeHead = outgoing.writeHead.bind(outgoing) as (...args: unknown[]) => void
    outgoing.writeHead = ((...args: unknown[]) => void writeHead(...args)) as never
  })
  expect((await send(port, { method: "POST", path: "/v1/sessions", headers: asAgent })).status).toBe(201)
})

test("A stream that somebody else has ended is written to no more.", async () => {
  const closed = createDeferred<ServerEvent>()
  const { server, id, token } = await twice({ observers: [(event) => void (event.type === "stream.closed" && closed.resolve(event))] })
  const answers: ServerResponse[] = []
  const port = await listen(server, (_incoming, outgoing) => void answers.push(outgoing))
  const page = createPage({ fetch, baseUrl: `http://127.0.0.1:${port}`, sessionId: id, token })
  const events = await page.stream()
  await events.nextOf("session.running")
  answers[0]?.end()
  await server.setRunning(id, true)
  expect(await closed.promise).toMatchObject({ reason: "reader" })
})

test("A body that somebody has asked for as text is read all the same.", async () => {
  const { server, id, token } = await twice()
  const port = await listen(server, (incoming) => void incoming.setEncoding("utf8"))
  const page = createPage({ fetch, baseUrl: `http://127.0.0.1:${port}`, sessionId: id, token })
  const tools = [{ name: "add", description: "Grüße 🎈", parameters: { type: "object" } }]
  expect((await page.register({ tools })).status).toBe(201)
  expect(await server.tools(id)).toMatchObject([{ description: "Grüße 🎈" }])
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
