// Rows 16, 23 and 25 of the fault matrix, and restarts: servers that come again, pages that come again, pages that do not.
import { afterEach, expect, test, vi } from "vitest"
import { createToolSource } from "../../src/toolClient/toolSource.ts"
import { drop, hold } from "./faults.ts"
import { stubPage } from "./pageEvents.ts"
import { seeded } from "./random.ts"
import { createWorld } from "./world.ts"

const MINUTE = 60_000

afterEach(() => {
  vi.unstubAllGlobals()
})

test("Row 16. A server restarts with a thousand clients: their first retries are spread, and all are back within the cap.", () =>
  seeded(async (random) => {
    const world = await createWorld({ random: () => random.next() })
    const sessions = await Promise.all(Array.from({ length: 1_000 }, () => world.server.createSession()))
    const pages = sessions.map(({ id: sessionId, token }) => world.open({ sessionId, getToken: () => token }))
    await world.until(() => world.proxy.streams.length === 1_000)
    await world.quiet()

    await world.stop({ keepsMemory: false })
    const stoppedAt = world.now
    const before = world.proxy.seen.length
    await world.pass(500)
    const arrivals = world.proxy.seen.slice(before)
    // Every one of them tries once within the first half second, and few a second time.
    expect(arrivals.length).toBeGreaterThanOrEqual(1_000)
    const firsts = new Map<string, number>()
    for (const { path, at } of arrivals) if (!firsts.has(path)) firsts.set(path, at - stoppedAt)
    expect(firsts.size).toBe(1_000)
    const buckets = [0, 0, 0, 0, 0]
    for (const at of firsts.values()) buckets[Math.min(4, Math.floor(at / 100))]!++
    expect(Math.max(...buckets)).toBeLessThanOrEqual(3 * 200)
    expect(Math.min(...buckets)).toBeGreaterThan(100)

    await world.pass(5_000)
    await world.start()
    await world.within(31_000, () => pages.every(({ session }) => session.state.status === "open"))
  }), 120_000)

test("Restart without memory. The server knows nothing any more: the client registers again under the same name, the call in flight ends here, and the next one runs.", async () => {
  const world = await createWorld()
  const page = world.open()
  let finish = (_text: string): void => {}
  const client = await page.serving("web", { add: () => new Promise<string>((resolve) => (finish = resolve)) })
  const lost = world.call("client__web__add")
  await world.quiet()
  const first = world.executed[0]

  await world.stop({ keepsMemory: false })
  await world.pass(10_000)
  expect(lost.error).toMatchObject({ code: "server_closed" })
  await world.start()
  await world.within(31_000, () => client.state.status === "serving" && page.session.state.status === "open")
  expect(client.state).toMatchObject({ name: "web", tools: ["add"] })
  expect(await world.toolNames()).toEqual(["client__web__add"])

  finish("nobody waits for it")
  await world.quiet()
  expect(client.state.calls[0]).toMatchObject({ callId: first, phase: "failed" })
  const next = world.call("client__web__add")
  await world.quiet()
  finish("the second")
  await world.quiet()
  expect(next.settled).toMatchObject({ text: "the second" })
})

test("Restart with memory. The listener comes back on another port: nothing runs twice, and the call in flight is answered.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { add: () => new Promise((resolve) => world.machine.setTimeout(() => resolve("done"), 3_000)) })
  const call = world.call("client__web__add")
  await world.quiet()
  await world.stop({ keepsMemory: true })
  const late = world.call("client__web__add")
  await world.pass(5_000)
  await world.start()
  await world.within(31_000, () => call.settled !== undefined)
  expect(call.settled).toMatchObject({ text: "done" })
  await world.within(31_000, () => late.settled !== undefined)
  expect(late.settled).toMatchObject({ text: "done" })
  expect(world.executed).toHaveLength(2)
  expect(world.proxy.of("register")).toHaveLength(1)
  expect(client.state.status).toBe("serving")
})

test("Restart. A client that is never pinged is noticed missing too, once the stream is open again.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", undefined, { lifetime: { type: "never" } })
  await world.stop({ keepsMemory: false })
  await world.start()
  await world.within(2_000, () => world.proxy.of("register").length === 2 && client.state.status === "serving")
  expect(await world.toolNames()).toEqual(["client__web__add"])
})

test("Restart. A server that is gone for an hour: the client goes on asking, more and more rarely, and serves when it is back.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  const before = world.proxy.seen.length
  await world.stop({ keepsMemory: false })
  await world.pass(60 * MINUTE)
  const asked = world.proxy.seen.length - before
  expect(asked).toBeLessThan(60 * 20)
  await world.start()
  await world.within(31_000, () => client.state.status === "serving" && page.session.state.status === "open")
  expect(await world.toolNames()).toEqual(["client__web__add"])
})

test("Offline. The network is gone for ten minutes and the page is told that it is back: everything goes on at once, under the same name.", async () => {
  const events = stubPage()
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  const lift = world.proxy.always(["stream", "register", "update", "ping", "ack", "answer", "delete"], drop)
  world.proxy.streams[0]?.cut()
  await world.pass(10 * MINUTE)
  expect(await world.toolNames()).toEqual([])
  lift()
  events.online()
  await world.quiet()
  expect(page.session.state.status).toBe("open")
  expect(client.state).toMatchObject({ status: "serving", name: "web" })
  expect(await world.toolNames()).toEqual(["client__web__add"])
})

test("Row 23. Two add the same tool name: the later serves, and when it goes the earlier serves on, with no moment in which the name is gone.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { other: () => "" })
  const one = createToolSource(() => world.tool(() => "one"))
  const two = createToolSource(() => ({ ...world.tool(() => "two"), description: "Another." }))
  client.declare(one, "add")
  const withdraw = client.declare(two, "add")
  await world.quiet()
  const answered = async () => (await world.call("client__web__add").outcome).text
  expect(await answered()).toBe("two")
  withdraw()
  expect(await answered()).toBe("one")
  await world.quiet()
  for (const { body } of world.proxy.of("update")) {
    expect((body?.["tools"] as { name: string }[]).map(({ name }) => name)).toContain("add")
  }
  expect(await answered()).toBe("one")
})

test("Row 25. A page crashes: the ttl takes it off, and the agent's call fails with a clear reason.", async () => {
  const world = await createWorld()
  const page = world.open()
  await page.serving("web", { add: () => new Promise<string>(() => {}) })
  const call = world.call("client__web__add")
  await world.quiet()
  world.machine.sleep()
  world.proxy.streams[0]?.silence()
  await world.pass(59_000)
  expect(await world.toolNames()).toEqual(["client__web__add"])
  const late = world.call("client__web__add")
  await world.pass(6_000)
  expect(await world.toolNames()).toEqual([])
  expect(call.settled).toMatchObject({ is_error: true, text: expect.stringMatching(/no sign of life.*may have run/) })
  expect(late.settled).toMatchObject({ is_error: true, text: expect.stringMatching(/no sign of life.*did not run/) })
  world.machine.wake()
})

test("Row 25. A tab is closed: it says so, its tools are gone at once, and its calls are settled when it does not come back.", async () => {
  const events = stubPage()
  const world = await createWorld()
  const page = world.open()
  await page.serving("web", { add: () => new Promise<string>(() => {}) })
  const call = world.call("client__web__add")
  await world.quiet()
  events.hidden(false)
  await world.quiet()
  expect(world.proxy.of("ping").at(-1)?.body).toEqual({ leaving: true, revision: expect.any(Number) })
  expect(await world.toolNames()).toEqual([])
  await world.pass(11_000)
  expect(call.settled).toMatchObject({ is_error: true, text: expect.stringContaining("may have run") })
})

test("Row 25. The farewell of a closed tab is lost: the ttl takes it off.", async () => {
  const events = stubPage()
  const world = await createWorld()
  const page = world.open()
  await page.serving()
  world.proxy.always(["ping"], drop)
  events.hidden(false)
  await world.pass(65_000)
  expect(await world.toolNames()).toEqual([])
})

test("Row 25. A tab is loaded again: the new page takes the old one's name, acked calls are settled at once, and those that nobody acked run in the new page.", async () => {
  const events = stubPage()
  const world = await createWorld()
  const old = world.open()
  await old.serving("web", { add: () => new Promise<string>(() => {}) })
  const acked = world.call("client__web__add")
  await world.quiet()
  world.proxy.streams[0]?.silence()
  const unacked = world.call("client__web__add")
  await world.quiet()
  events.hidden(false)
  await world.quiet()

  const reloaded = world.open()
  const client = await reloaded.serving("web", { add: () => "of the new page" })
  expect(client.state.name).toBe("web")
  expect(acked.settled).toMatchObject({ is_error: true, text: expect.stringContaining("may have run") })
  expect(unacked.settled).toMatchObject({ is_error: false, text: "of the new page" })
  expect(await world.toolNames()).toEqual(["client__web__add"])
  expect(world.executed).toHaveLength(2)
})

test("Row 25. A tab is duplicated with its storage: the two have different instance ids and names, and both serve.", async () => {
  const events = stubPage()
  const world = await createWorld()
  const one = world.open()
  const first = await one.serving("web", { add: () => "one" })
  // What the duplicate finds is what the living page has left in the storage.
  const two = world.open()
  const second = await two.serving("web", { add: () => "two" })
  expect([first.state.name, second.state.name]).toEqual(["web", "web_2"])
  expect(new Set(world.proxy.of("register").map(({ body }) => body?.["instance_id"])).size).toBe(2)
  expect((await world.call("client__web__add").outcome).text).toBe("one")
  expect((await world.call("client__web_2__add").outcome).text).toBe("two")
  events.looked()
  await world.pass(2 * MINUTE)
  expect(await world.toolNames()).toHaveLength(2)
})

test("Row 24, on the wire. A page goes into the back/forward cache and comes back: withdrawn at once, then the same client again, and its calls wait for it.", async () => {
  const events = stubPage()
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  const { id } = client.state
  const held = hold()
  world.proxy.next("ack", held.fault)
  events.hidden(true)
  await world.quiet()
  expect(world.proxy.of("ping").at(-1)?.body).toEqual({ suspended: true, revision: expect.any(Number) })
  expect(world.proxy.streams).toHaveLength(0)
  expect(await world.toolNames()).toEqual([])
  await world.pass(20_000)
  events.shown(true)
  await world.quiet()
  held.release()
  await world.quiet()
  expect(client.state).toMatchObject({ status: "serving", id, name: "web" })
  expect(world.proxy.streams).toHaveLength(1)
  expect((await world.call("client__web__add").outcome).text).toBe("done")
})

test("Row 2, on the wire. A page is frozen and resumed, which it tells by several events: one stream, one registration, one ping at most.", async () => {
  const events = stubPage()
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  events.frozen()
  world.machine.sleep()
  world.proxy.streams[0]?.silence()
  await world.pass(10 * MINUTE)
  const before = { ping: world.proxy.of("ping").length, stream: world.proxy.of("stream").length, register: world.proxy.of("register").length }
  world.machine.wake()
  for (const tell of [events.resumed, events.looked, events.online, () => events.shown(false)]) tell()
  await world.quiet()
  await world.pass(10_000)
  expect(client.state.status).toBe("serving")
  expect(world.proxy.streams).toHaveLength(1)
  expect(world.proxy.of("ping").length - before.ping).toBeLessThanOrEqual(1)
  expect(world.proxy.of("stream").length - before.stream).toBe(1)
  expect(world.proxy.of("register").length - before.register).toBe(1)
  expect(await world.toolNames()).toEqual(["client__web__add"])
})
