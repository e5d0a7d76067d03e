// What the server refuses or ends for its own sake, met by the real client: it backs off, comes back, and loses nothing.
import { expect, test, vi } from "vitest"
import { createWorld } from "../faults/world.ts"

const MINUTE = 60_000

// As in the faults' own project: minutes of the world are seconds on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

test("A page whose session sends too much in a minute waits as long as it is asked to, and goes on.", async () => {
  const world = await createWorld({ server: { limits: { maxRequestsPerMinute: 15 } }, random: () => 0.5 })
  const page = world.open()
  const client = await page.serving()
  const calls = Array.from({ length: 15 }, () => world.call("client__web__add"))
  await world.pass(1_000)
  expect(calls.filter(({ settled }) => settled).length).toBeLessThan(15)
  expect(world.proxy.seen.some(({ status }) => status === 429)).toBe(true)
  const before = world.proxy.seen.length
  await world.pass(2 * MINUTE)
  for (const call of calls) expect(call.settled).toMatchObject({ text: "done", is_error: false })
  expect(client.state.status).toBe("serving")
  expect(page.session.state.status).toBe("open")
  // What it sends in vain is bounded too: each of 15 answers has its own back-off, from 0.5 s to 30 s.
  expect(world.proxy.seen.length - before).toBeLessThan(15 * 20)
})

test("A client that its full session refuses waits, and is served once there is room.", async () => {
  const world = await createWorld({ server: { limits: { maxTools: 2 } } })
  const page = world.open()
  const first = await page.serving("first", { a: () => "done", b: () => "done" })
  const second = page.session.createToolClient("second")
  second.addTool("c", world.tool())
  await world.pass(20_000)
  expect(second.state.status).toBe("joining")
  expect(await world.toolNames()).toEqual(["client__first__a", "client__first__b"])
  const tries = world.proxy.of("register").length - 1
  expect(tries).toBeGreaterThan(0)
  // `Retry-After` says 5 seconds, so no more than that.
  expect(tries).toBeLessThanOrEqual(4)
  first.removeTool("b")
  await world.pass(MINUTE)
  expect(second.state.status).toBe("serving")
  expect(await world.toolNames()).toEqual(["client__first__a", "client__second__c"])
})

test("A page that finds all streams taken waits, and opens its own once there is one.", async () => {
  const world = await createWorld({ server: { limits: { maxStreams: 1 } } })
  const one = world.open()
  await one.serving("one")
  const other = world.open()
  await world.pass(10_000)
  expect(other.session.state.status).toBe("reconnecting")
  await Promise.all([one.session.close(), world.pass(MINUTE)])
  expect(other.session.state.status).toBe("open")
})

test("A page whose token ends gets a new one, and a call that was made in between reaches it, once.", async () => {
  const world = await createWorld({ server: { tokenTtlSeconds: 100 } })
  const page = world.open()
  await page.serving()
  await world.pass(100_000 - 1)
  await world.pass(1)
  expect(page.session.state.status).toBe("reconnecting")
  const call = world.call("client__web__add")
  await world.pass(1_000)
  expect(call.settled).toMatchObject({ text: "done" })
  expect(page.session.state.status).toBe("open")
  expect(new Set(world.proxy.of("stream").map(({ authorization }) => authorization)).size).toBe(2)
  expect(world.proxy.of("stream").at(-1)?.lastEventId).toBeDefined()
  expect(page.errors).toEqual([])
})

test("A page whose token was revoked goes on with a new one, and is told when it gets none.", async () => {
  const world = await createWorld()
  const backEnd: { refusal?: Error } = {}
  const page = world.open({
    getToken: () => {
      if (backEnd.refusal) throw backEnd.refusal
      return world.token()
    },
  })
  const client = await page.serving()
  await world.server.revokeSession(world.sessionId)
  await world.server.createSession({ id: world.sessionId })
  await world.pass(5_000)
  expect(client.state.status).toBe("serving")
  const call = world.call("client__web__add")
  await world.quiet()
  expect(call.settled).toMatchObject({ text: "done" })

  backEnd.refusal = new Error("Signed out.")
  await world.server.revokeSession(world.sessionId)
  await world.pass(MINUTE)
  expect(page.session.state).toMatchObject({ status: "reconnecting" })
  expect(page.errors.map(String).join("\n")).toContain("Signed out.")
  expect(await world.toolNames()).toEqual([])
})

test("A page whose server drains answers its call, and resumes at the next server.", async () => {
  const world = await createWorld()
  const page = world.open()
  let answer = (_text: string): void => {}
  const client = await page.serving("web", { add: () => new Promise<string>((resolve) => (answer = resolve)) })
  const call = world.call("client__web__add")
  await world.quiet()
  const drained = world.server.drain()
  await world.pass(1_000)
  expect(world.server.status).toBe("draining")
  answer("in time")
  await world.quiet()
  await drained
  expect(call.settled).toMatchObject({ text: "in time", is_error: false })
  await world.stop({ keepsMemory: false })
  await world.start()
  await world.pass(MINUTE)
  expect(client.state.status).toBe("serving")
  expect(await world.toolNames()).toEqual(["client__web__add"])
})
