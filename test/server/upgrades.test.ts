import { createServer, type Server } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { type AddressInfo, connect } from "node:net"
import type { Duplex } from "node:stream"
import { connect as connectSecurely } from "node:tls"
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { WebSocket } from "ws"
import { attachEventSockets, createHubServer, createNodeHandler, createSessionServer, serve, type ServedSession, type SessionServer } from "../../src/server/index.ts"

let server: SessionServer
let served: ServedSession
const nothing = { warn() {}, error() {} }

beforeEach(async () => {
  server = createSessionServer({ apiKey: "key", secret: "a secret of at least thirty-two bytes", logger: nothing })
  served = await serve(server, { hub: createHubServer({ authenticate: () => null, logger: nothing }) })
})

afterEach(async () => {
  await server.close()
  await served.close()
})

/** Sends the text, and gives what comes back until the server closes, or `part` has come. */
function ask(text: string, part = "\0", port = served.port): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    let answer = ""
    socket.on("data", (data) => {
      answer += data.toString()
      if (!answer.includes(part)) return
      resolve(answer)
      socket.destroy()
    })
    socket.once("close", () => resolve(answer))
    socket.once("error", reject)
  })
}

const upgrade = (path: string, host = "localhost"): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`

const isAlive = async (): Promise<boolean> => (await server.createSession()).id !== "" && (await fetch(`${served.url}/v1/sessions`, { method: "POST" })).status === 401

test.each([
  ["a token with a line break", { token: "a\nb" }],
  ["a token beyond Latin-1", { token: "€" }],
  ["an event's id with a line break", { token: "a", last_event_id: "1\r\nX-Evil: 1" }],
])("A WebSocket whose first message has %s is refused, and the server lives.", async (_what, first) => {
  const socket = new WebSocket(`${served.url.replace("http", "ws")}/v1/sessions/any/events`)
  const closed = new Promise<number>((resolve) => socket.once("close", resolve))
  socket.once("open", () => socket.send(JSON.stringify(first)))
  expect(await closed).toBe(1008)
  expect(await isAlive()).toBe(true)
})

test("A socket that asked for an upgrade and is left to others ends nothing when its peer resets it.", async () => {
  const http = createServer(createNodeHandler(server))
  const detach = [await attachEventSockets(http, server), await createHubServer({ authenticate: () => null, logger: nothing }).attach(http)]
  const theirs = new Promise<Duplex>((resolve) => http.once("upgrade", (_incoming, duplex) => resolve(duplex)))
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  const peer = connect((http.address() as AddressInfo).port, "127.0.0.1", () => peer.write(upgrade("/theirs")))
  peer.on("error", () => {})
  const duplex = await theirs
  const closed = new Promise((resolve) => duplex.once("close", resolve))
  peer.resetAndDestroy()
  await closed // an error that nobody hears fails the run
  for (const end of detach) end()
  await new Promise((resolve) => http.close(resolve))
})

/** A server of the user's own, on which only the hub or only the sockets of sessions listen to upgrades. */
async function ownServer(attach: (http: Server) => Promise<() => void>): Promise<Server> {
  const http = createServer(createNodeHandler(server))
  const detach = await attach(http)
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  onTestFinished(async () => {
    detach()
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  })
  return http
}

const portOf = (http: Server): number => (http.address() as AddressInfo).port
const attachHub = (http: Server): Promise<() => void> => createHubServer({ authenticate: () => null, logger: nothing }).attach(http)

describe.each([
  ["the hub", attachHub],
  ["the sockets of sessions", (http: Server) => attachEventSockets(http, server)],
])("On a server of one's own that has %s,", (_what, attach) => {
  test("a WebSocket to a path that nobody has is answered 404, and closed.", async () => {
    const http = await ownServer(attach)
    expect(await ask(upgrade("/nothing"), "\0", portOf(http))).toMatch(/^HTTP\/1\.1 404 [^]*There is no WebSocket at \/nothing\./)
  })

  test("a request that asks for HTTP/2 on its way is answered as if it had not.", async () => {
    const http = await ownServer(attach)
    const asking = "GET /v1/sessions/x/tools HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
    expect(await ask(asking, "}}", portOf(http))).toMatch(/^HTTP\/1\.1 401 /)
  })

  test("what another listener of upgrades takes is left to it.", async () => {
    const http = await ownServer(attach)
    http.on("upgrade", ({ url }, duplex) => {
      if (url === "/theirs") duplex.end("HTTP/1.1 101 Switching Protocols\r\n\r\nhello")
    })
    expect(await ask(upgrade("/theirs"), "hello", portOf(http))).toMatch(/^HTTP\/1\.1 101 /)
  })

  test("and is detached, upgrades are Node's again.", async () => {
    const http = createServer(createNodeHandler(server))
    ;(await attach(http))()
    expect(http.listenerCount("upgrade")).toBe(0)
  })
})

test("The hub and the sockets of sessions know of each other on one server, in either order, and after one has gone.", async () => {
  const detachers: (() => void)[] = []
  const http = await ownServer(async (own) => {
    detachers.push(await attachHub(own), await attachEventSockets(own, server))
    return () => detachers.forEach((detach) => detach())
  })
  expect(await ask(upgrade("/ws"), "\r\n\r\n", portOf(http))).toMatch(/^HTTP\/1\.1 101 /)
  expect(await ask(upgrade("/v1/sessions/x/events"), "\r\n\r\n", portOf(http))).toMatch(/^HTTP\/1\.1 101 /)
  expect(await ask(upgrade("/else"), "\0", portOf(http))).toMatch(/^HTTP\/1\.1 404 /)
  detachers[0]?.()
  expect(await ask(upgrade("/ws"), "\0", portOf(http))).toMatch(/^HTTP\/1\.1 404 /)
  expect(await ask(upgrade("/v1/sessions/x/events"), "\r\n\r\n", portOf(http))).toMatch(/^HTTP\/1\.1 101 /)
})

test("Over TLS a request that asks for another protocol is answered too.", async () => {
  // A key that both know instead of a certificate, which nobody here can sign.
  const psk = Buffer.from("a key of the test's own")
  const tls = { ciphers: "PSK", maxVersion: "TLSv1.2" } as const
  const https = createSecureServer({ ...tls, pskCallback: () => psk }, createNodeHandler(server))
  const detach = await attachHub(https)
  await new Promise<void>((resolve) => https.listen(0, "127.0.0.1", resolve))
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connectSecurely({ ...tls, port: portOf(https), host: "127.0.0.1", pskCallback: () => ({ psk, identity: "test" }), checkServerIdentity: () => undefined }, () =>
      socket.write("GET /v1/sessions/x/tools HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
    )
    socket.once("data", (data: Buffer) => {
      resolve(data.toString())
      socket.destroy()
    })
    socket.once("error", reject)
  })
  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  detach()
  https.closeAllConnections()
  await new Promise((resolve) => https.close(resolve))
})

test.each([
  ["that nobody takes is answered 404", "/nothing", "localhost", 404],
  ["to a host that is not allowed is answered 403", "/v1/sessions/any/events", "elsewhere.example", 403],
])("An upgrade %s, and its socket is closed although its peer keeps it open.", async (_what, path, host, status) => {
  const peer = connect({ port: served.port, host: "127.0.0.1", allowHalfOpen: true }, () => peer.write(upgrade(path, host)))
  const answer = new Promise<string>((resolve) => peer.once("data", (data) => resolve(data.toString())))
  expect(await answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  await served.close({ graceMs: 60_000 }) // waits for open connections
  peer.destroy()
})

test("A request that asks for HTTP/2 on its way is answered as if it had not, body and all.", async () => {
  const { id } = await server.createSession()
  const body = JSON.stringify({ tool: "nowhere", arguments: { text: "ä€" } })
  const asking = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
  const head = `POST /v1/sessions/${id}/tool-calls HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer key\r\nContent-Type: application/json\r\n`
  const answer = await ask(`${head}${asking}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, "}}")
  expect(answer).toMatch(/^HTTP\/1\.1 404 /)
  expect(answer).toContain("tool_not_found")
})
