// Row 26 of the fault matrix, on the wire: the event stream over WebSocket, which spares a browser's six connections.
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { WebSocket } from "ws"
import { createDeferred } from "../../src/lib/deferred.ts"
import { turn } from "../../src/lib/turn.ts"
import { createSessionServer, serve, type ServedSession, type SessionServer } from "../../src/server/index.ts"
import { openWebSocketStream } from "../../src/wire/streamWebSocket.ts"
import { collectGarbage } from "./collectGarbage.ts"

/** Fewer than the streams that a server lets one session have; two rounds are more. */
const AT_ONCE = 40
const ROUNDS = 5

const API_KEY = "key-of-the-agent"

let server: SessionServer
let served: ServedSession
beforeEach(async () => {
  // The browser's own global; Node 20 has none.
  Object.assign(globalThis, { WebSocket })
  server = createSessionServer({ apiKey: API_KEY, secret: "a secret of thirty-two bytes, at least", logger: { warn() {}, error() {} } })
  served = await serve(server)
})
afterEach(async () => {
  await server.close()
  await served.close()
  Reflect.deleteProperty(globalThis, "WebSocket")
})

async function openStream(id: string, token: string) {
  const controller = new AbortController()
  const stream = await openWebSocketStream(`${served.url}/v1/sessions/${id}/events`, { authorization: `Bearer ${token}` }, controller.signal)
  const came = createDeferred<void>()
  const ended = stream.read(() => came.resolve()).catch(() => {})
  return { status: stream.status, first: came.promise, ended, close: () => controller.abort() }
}

/** A close takes a moment to come to the server. */
const openWhenFree = (id: string, token: string, which: string) =>
  vi.waitFor(async () => {
    const stream = await openStream(id, token)
    expect(stream.status, `a stream of ${which}`).toBe(200)
    return stream
  }, 5_000)

test("Row 26. Streams over WebSocket are closed and opened again: each one that was closed frees its place.", async () => {
  const { id, token } = await server.createSession()
  for (let round = 1; round <= ROUNDS; round++) {
    const streams = await Promise.all(Array.from({ length: AT_ONCE }, () => openWhenFree(id, token, `round ${round}`)))
    await Promise.all(streams.map(({ first }) => first))
    // What the server holds only weakly is gone by now: the end of a socket must reach its stream all the same.
    await turn()
    collectGarbage()
    for (const { close } of streams) close()
    await Promise.all(streams.map(({ ended }) => ended))
    await turn()
  }
})

test("Row 26. Seven tabs have their streams over WebSocket: all seven are open at once, and requests are answered beside them.", async () => {
  const { id, token } = await server.createSession()
  const tabs = await Promise.all(Array.from({ length: 7 }, () => openStream(id, token)))
  expect(tabs.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 200))
  await Promise.all(tabs.map(({ first }) => first))
  const response = await fetch(`${served.url}/v1/sessions/${id}/tools`, { headers: { authorization: `Bearer ${API_KEY}` } })
  expect(response.status).toBe(200)
  for (const { close } of tabs) close()
})
