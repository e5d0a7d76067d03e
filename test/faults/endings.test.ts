// Rows 20 and 21 of the fault matrix: whenever it is closed, nothing of it stays behind.
import { afterEach, expect, test, vi } from "vitest"
import { createDeferred } from "../../src/lib/deferred.ts"
import { createSessionClient } from "../../src/session/sessionClient.ts"
import { SessionError } from "../../src/wire/sessionError.ts"
import { FLUSH_LIMIT_MS } from "../../src/toolClient/dispatch.ts"
import { collectGarbage } from "./collectGarbage.ts"
import { drop, type Fault, halfOpen, hold, refuse, swallowAnswer } from "./faults.ts"
import { createWorldTime } from "./machines.ts"
import { stubPage } from "./pageEvents.ts"
import type { RequestKind } from "./proxy.ts"
import { createWorld } from "./world.ts"

const MINUTE = 60_000

afterEach(() => vi.unstubAllGlobals())

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Turns of the event loop in which a page gets from nothing to an answered call, and some more. */
const TURNS = 60

const SITUATIONS: readonly [words: string, faults: Partial<Record<RequestKind, Fault>>][] = [
  ["all is well", {}],
  ["the stream is refused", { stream: refuse(503) }],
  ["the stream is never answered", { stream: halfOpen }],
  ["the registration is refused for a while", { register: refuse(503) }],
  ["the registration is never answered", { register: halfOpen }],
  ["the registration is accepted, and its answer never comes", { register: swallowAnswer }],
  ["updates are never answered", { update: halfOpen }],
  ["answers are refused for a while", { answer: refuse(503) }],
  ["answers are never answered", { answer: halfOpen }],
  ["the client is gone at the server", { ping: refuse(404), ack: refuse(404), answer: refuse(404) }],
  ["the token is not taken", { register: refuse(401) }],
  ["deleting is never answered", { delete: halfOpen }],
]

test.each(SITUATIONS)("Row 20. A session is closed, twice, at each turn of the event loop while %s: no request follows, no timer stays.", async (_words, faults) => {
  const world = await createWorld()
  for (const [kind, fault] of Object.entries(faults)) world.proxy.always([kind as RequestKind], fault)
  const sessions: { readonly id: string; readonly closing: Promise<unknown>; readonly session: ReturnType<typeof world.open>["session"] }[] = []
  for (let turns = 0; turns < TURNS; turns++) {
    const { id, token } = await world.server.createSession()
    const { session } = world.open({ sessionId: id, getToken: () => token })
    const client = session.createToolClient("web")
    client.addTool("add", world.tool())
    for (let count = 0; count < turns; count++) {
      await turn()
      if (client.state.status === "serving" && client.state.calls.length === 0) world.call("client__web__add", {}, id)
      if (count % 20 === 19) client.addTool(`tool_${count}`, world.tool())
    }
    sessions.push({ id, session, closing: Promise.all([session.close(), session.close()]) })
  }
  await world.pass(3 * MINUTE)
  await Promise.all(sessions.map(({ closing }) => closing))
  for (const { session } of sessions) expect(session.state.status).toBe("closed")
  expect({ timers: world.machine.pending, holds: world.machine.holds }).toEqual({ timers: 0, holds: 0 })
  const count = world.proxy.seen.length
  expect(world.proxy.streams).toEqual([])
  await world.pass(10 * MINUTE)
  expect(world.proxy.seen).toHaveLength(count)
})

test("Row 20. A session is closed while its answer is on its way: the answer or the server's word settles the call, once.", async () => {
  const world = await createWorld()
  const page = world.open()
  await page.serving()
  const held = hold()
  world.proxy.next("answer", held.fault)
  const call = world.call("client__web__add")
  await world.quiet()
  const closing = page.session.close()
  await world.quiet()
  held.release()
  await world.quiet()
  await closing
  expect(call.settled).toBeDefined()
  expect(await world.toolNames()).toEqual([])
})

test.each(["ack", "ping", "answer"] as const)("Row 20. A session is closed while its %s is never answered: it is given up, and no timer stays.", async (kind) => {
  const world = await createWorld()
  const page = world.open()
  await page.serving()
  world.proxy.always([kind], halfOpen)
  world.call("client__web__add")
  await world.pass(kind === "ping" ? 35_000 : 1_000)
  expect(world.proxy.of(kind)).toHaveLength(1)
  const closing = page.session.close()
  // A DELETE waits so long for an ack that is under way.
  await world.pass(FLUSH_LIMIT_MS)
  await world.quiet()
  await closing
  expect({ timers: world.machine.pending, holds: world.machine.holds }).toEqual({ timers: 0, holds: 0 })
})

test("Row 20. A delete is refused: it rejects, and may be asked again.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  world.proxy.next("delete", refuse(500), refuse(403))
  await expect(page.session.deleteToolClient(client)).rejects.toMatchObject({ code: "unavailable" })
  expect(client.state.status).toBe("leaving")
  await expect(page.session.deleteToolClient(client)).rejects.toMatchObject({ code: "refused" })
  const [one, other] = [page.session.deleteToolClient(client), page.session.deleteToolClient(client)]
  await Promise.all([one, other])
  expect(client.state.status).toBe("left")
  expect(world.proxy.of("delete")).toHaveLength(3)
  expect(await world.toolNames()).toEqual([])
})

/** A signal that knows how many listen to it. */
function countedSignal() {
  const controller = new AbortController()
  const { signal } = controller
  let count = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  vi.spyOn(signal, "addEventListener").mockImplementation((...args: Parameters<typeof add>) => {
    count++
    add(...args)
  })
  vi.spyOn(signal, "removeEventListener").mockImplementation((...args: Parameters<typeof remove>) => {
    count--
    remove(...args)
  })
  return { controller, signal, listeners: () => count }
}

test("Row 21. The caller's signal has aborted already: nothing starts, and nobody is asked for a token.", async () => {
  const world = await createWorld()
  const getToken = vi.fn(() => "token")
  const { session } = world.open({ signal: AbortSignal.abort(), getToken })
  await world.pass(MINUTE)
  expect(session.state.status).toBe("closed")
  expect(world.proxy.seen).toEqual([])
  expect(getToken).not.toHaveBeenCalled()
})

test("Row 21. The caller's signal aborts late: the session closes as by close(), and no listener stays.", async () => {
  const world = await createWorld()
  const { controller, signal, listeners } = countedSignal()
  const page = world.open({ signal })
  const client = await page.serving()
  expect(listeners()).toBe(1)
  controller.abort()
  await world.quiet()
  expect(page.session.state.status).toBe("closed")
  expect(client.state.status).toBe("left")
  expect(await world.toolNames()).toEqual([])
})

test("Row 21. Ten thousand reconnects on one long-lived signal: the number of listeners stays, and so does the heap.", async () => {
  const time = createWorldTime()
  const machine = time.machine()
  const { signal, listeners } = countedSignal()
  let streams = 0
  const client = createSessionClient({
    baseUrl: "http://server.test",
    getToken: () => "token",
    clock: machine,
    fetch: async () => {
      streams++
      return new Response(": open\n\n", { headers: { "content-type": "text/event-stream" } })
    },
  })
  const session = client.open("s", { signal, onError: () => {} })
  const settle = async (): Promise<void> => {
    await turn()
    await turn()
  }
  const reconnect = async (count: number): Promise<number> => {
    for (const until = streams + count; streams < until; ) await time.pass(10 * MINUTE, settle)
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = await reconnect(2_000)
  const listening = listeners()
  const after = await reconnect(8_000)
  expect(listeners()).toBe(listening)
  expect(listening).toBe(1)
  expect(machine.pending).toBeLessThanOrEqual(2)
  expect(after - before).toBeLessThan(2 * 1024 * 1024)
  await session.close()
  expect(listeners()).toBe(0)
  expect(machine.pending).toBe(0)
}, 60_000)

test("Row 21. A shared session whose signal has aborted already is not handed out again.", async () => {
  const world = await createWorld()
  const token = await world.token()
  const client = createSessionClient({ baseUrl: world.proxy.url, clock: world.machine, getToken: () => token })
  const dead = client.share(world.sessionId, { signal: AbortSignal.abort() })
  await world.quiet()
  const alive = client.share(world.sessionId)
  await world.quiet()
  expect([dead.session.state.status, alive.session.state.status]).toEqual(["closed", "open"])
  await alive.session.close()
})

test("A page's last component goes and another comes while the DELETE is on its way: the tools are offered again at once.", async () => {
  const world = await createWorld()
  const page = world.open()
  const first = page.session.shareToolClient("web")
  first.client.addTool("add", world.tool())
  await world.quiet()
  const held = hold()
  world.proxy.next("delete", held.fault)
  first.release()
  await world.until(() => world.proxy.seen.some(({ kind }) => kind === "delete"))
  const second = page.session.shareToolClient("web")
  held.release()
  await world.quiet()
  expect(second.client.state).toMatchObject({ status: "serving", tools: ["add"] })
  expect(await world.toolNames()).toEqual(["client__web__add"])
  expect(page.errors).toEqual([])
})

/** A session whose token is not taken any more once `signOut` was called, shared as hooks share it. */
async function signedIn() {
  const world = await createWorld()
  let isSignedIn = true
  const sessions = createSessionClient({
    baseUrl: world.proxy.url,
    clock: world.machine,
    getToken() {
      if (!isSignedIn) throw new SessionError("unauthorized", "signed out")
      return world.token()
    },
  })
  const share = () => {
    const shared = sessions.share(world.sessionId, { onError: () => {} })
    const web = shared.session.shareToolClient("web", { onError: () => {} })
    return { shared, web }
  }
  return { world, share, sign: (isIn: boolean) => void (isSignedIn = isIn) }
}

test.each(["idle", "answering"])("A person signs out and in again while a released client is %s: the session that failed is gone, and another one serves.", async (what) => {
  const { world, share, sign } = await signedIn()
  const first = share()
  const { promise, resolve } = createDeferred<string>()
  first.web.client.addTool("add", world.tool(() => promise))
  await world.quiet()
  if (what === "answering") world.call("client__web__add")
  await world.quiet()
  sign(false)
  const takeToken = world.proxy.always(["delete", "answer", "ping"], refuse(401))
  first.web.release()
  first.shared.release()
  await world.quiet()
  resolve("done")
  await world.pass(MINUTE)
  expect(first.shared.session.state.status).toBe("closed")
  sign(true)
  takeToken()
  const second = share()
  second.web.client.addTool("add", world.tool())
  await world.quiet()
  expect(second.web.client.state).toMatchObject({ status: "serving", tools: ["add"] })
  await second.shared.session.close()
})

test("A client whose DELETE failed keeps no other of its name waiting: that one takes its place.", async () => {
  const world = await createWorld()
  const page = world.open()
  const first = await page.serving("web")
  world.proxy.next("delete", drop)
  await expect(page.session.deleteToolClient(first)).rejects.toMatchObject({ code: "network" })
  const second = page.session.createToolClient("web")
  second.addTool("other", world.tool())
  await world.quiet()
  expect(second.state).toMatchObject({ status: "serving", tools: ["other"] })
  expect(await world.toolNames()).toEqual(["client__web__other"])
})

test("A client that is made once its session has failed has failed, too, and holds no process.", async () => {
  const world = await createWorld()
  const page = world.open()
  await page.serving("web")
  const takeToken = world.proxy.always(["ping", "stream"], refuse(401))
  await world.within(MINUTE, () => page.session.state.status === "failed")
  const late = page.session.createToolClient("late")
  await expect(late.ready).rejects.toMatchObject({ code: "unauthorized" })
  expect(late.state).toMatchObject({ status: "failed", error: { code: "unauthorized" } })
  expect(world.machine.holds).toBe(0)
  takeToken()
  page.session.retry()
  await world.within(MINUTE, () => late.state.status === "serving")
})

test("Components that are mounted anew again and again do not hurry a registration that the server asked to wait.", async () => {
  const world = await createWorld()
  const page = world.open()
  world.proxy.always(["register"], refuse(429, { retryAfter: "60" }))
  let owner = page.session.shareToolClient("web")
  await world.quiet()
  for (let count = 0; count < 20; count++) {
    owner.release()
    owner = page.session.shareToolClient("web")
    await world.pass(100)
  }
  expect(world.proxy.of("register")).toHaveLength(1)
})

test("A page comes back from the back/forward cache before its farewell arrives: its tools stay offered.", async () => {
  const events = stubPage()
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web")
  const held = hold()
  world.proxy.next("ping", held.fault)
  events.hidden(true)
  await world.quiet()
  events.shown(true)
  await world.quiet()
  held.release()
  await world.pass(MINUTE)
  expect(client.state.status).toBe("serving")
  expect(await world.toolNames()).toHaveLength(1)
})

test("A page whose person is signed out leaves: within the ttl nothing is asked any more, its back end neither.", async () => {
  const world = await createWorld()
  let isSignedOut = false
  const getToken = vi.fn(async () => {
    if (isSignedOut) throw new Error("401 of the back end")
    return world.token()
  })
  const client = createSessionClient({ baseUrl: world.proxy.url, clock: world.machine, getToken })
  const shared = client.share(world.sessionId, { onError: () => {} })
  const web = shared.session.shareToolClient("web")
  web.client.addTool("add", world.tool())
  await world.quiet()
  isSignedOut = true
  await world.server.revokeSession(world.sessionId)
  web.release()
  shared.release()
  await world.pass(2 * MINUTE)
  expect(shared.session.state.status).toBe("closed")
  const asked = getToken.mock.calls.length
  await world.pass(60 * MINUTE)
  expect(getToken).toHaveBeenCalledTimes(asked)
  expect({ timers: world.machine.pending, holds: world.machine.holds }).toEqual({ timers: 0, holds: 0 })
})
