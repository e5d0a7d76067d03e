// Rows 1 to 6 of the fault matrix: how a client stays alive, and what it does when it did not.
import { afterEach, expect, test, vi } from "vitest"
import { answerHtml, drop, halfOpen, refuse } from "./faults.ts"
import { stubPage } from "./pageEvents.ts"
import { createWorld } from "./world.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

afterEach(() => {
  vi.unstubAllGlobals()
})

test("Row 1. Timers come once a minute, as in a page hidden for long: a client with a ttl of 60 s is still registered after 30 minutes while stream events arrive.", async () => {
  const world = await createWorld()
  const page = world.open()
  await page.serving()
  world.machine.coarseness = MINUTE
  for (let minute = 0; minute < 30; minute++) {
    await world.pass(MINUTE)
    expect(await world.toolNames()).toEqual(["client__web__add"])
  }
  expect(world.proxy.of("register")).toHaveLength(1)
  expect(world.proxy.of("stream")).toHaveLength(1)
  expect(page.errors).toEqual([])
})

test("Row 1. Neither timers nor stream events come: the client expires, and is registered again at once when the page is looked at; never two live.", async () => {
  const events = stubPage()
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  world.proxy.streams[0]?.silence()
  world.machine.sleep()
  await world.pass(61_000)
  expect(await world.toolNames()).toEqual([])

  world.machine.wake()
  events.looked()
  await world.quiet()
  expect(await world.toolNames()).toEqual(["client__web__add"])
  expect(client.state).toMatchObject({ status: "serving", name: "web" })
  expect(world.proxy.of("register")).toHaveLength(2)
  expect(world.proxy.streams).toHaveLength(1)
})

test("Row 3. A laptop sleeps for 8 hours and its socket stays open: the old stream is replaced at the first tick, calls past their deadline are aborted and not answered, and the client serves again.", async () => {
  const world = await createWorld()
  const page = world.open()
  let signal: AbortSignal | undefined
  const client = await page.serving("web", {
    add: (_args, call) => {
      signal = call.signal
      return new Promise<string>(() => {})
    },
  })
  const call = world.call("client__web__add")
  await world.pass(5_000)
  world.proxy.streams[0]?.silence()
  world.machine.sleep()
  await world.pass(8 * HOUR)
  expect(call.settled).toMatchObject({ is_error: true })

  world.machine.wake()
  await world.within(6_000, () => client.state.status === "serving" && world.proxy.of("register").length === 2)
  expect(world.proxy.of("stream").length).toBeGreaterThan(1)
  expect(signal?.aborted).toBe(true)
  await world.pass(5 * MINUTE)
  expect(world.proxy.of("answer")).toEqual([])
  expect(client.state.calls[0]).toMatchObject({ phase: "failed" })
  expect(await world.toolNames()).toEqual(["client__web__add"])
  expect(world.proxy.of("register")).toHaveLength(2)
})

test.each([
  ["an hour back", -HOUR],
  ["an hour on", HOUR],
])("Row 4. The clock is set %s: no busy loop, at most one more stream, and the client stays registered.", async (_words, jump) => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  await world.pass(20_000)
  const fired = world.machine.fired
  world.machine.setWallClock(jump)
  await world.pass(10 * MINUTE)
  expect(client.state.status).toBe("serving")
  expect(world.proxy.of("register")).toHaveLength(1)
  expect(world.proxy.of("stream").length).toBeLessThanOrEqual(2)
  // At half the ttl, and one more for the jump.
  expect(world.proxy.of("ping").length).toBeLessThanOrEqual(26)
  // The watch over the stream looks every 5 s.
  expect(world.machine.fired - fired).toBeLessThan(200)
  world.machine.setWallClock(-jump)
  await world.pass(10 * MINUTE)
  expect(client.state.status).toBe("serving")
  expect(world.proxy.of("register")).toHaveLength(1)
  expect(world.proxy.of("stream").length).toBeLessThanOrEqual(3)
})

test.each([404, 410])("Row 5. A ping is answered %i: registers again once, with the same tools; calls in flight keep answering.", async (status) => {
  const world = await createWorld()
  const page = world.open()
  let finish = (_text: string): void => {}
  const client = await page.serving("web", { add: () => new Promise<string>((resolve) => (finish = resolve)), other: () => "" })
  const call = world.call("client__web__add")
  await world.quiet()
  expect(world.executed).toHaveLength(1)

  world.proxy.next("ping", refuse(status))
  const names = await world.toolNames()
  await world.pass(31_000)
  expect(world.proxy.of("register")).toHaveLength(2)
  expect(client.state).toMatchObject({ status: "serving", name: "web", tools: ["add", "other"] })
  expect(await world.toolNames()).toEqual(names)

  finish("the answer")
  await world.quiet()
  expect(call.settled).toMatchObject({ text: "the answer", is_error: false })
})

test("Row 5. All that is sent at once is answered 404: one registration, not one for each.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  const lift = world.proxy.always(["ping", "ack", "answer", "update"], refuse(404))
  const calls = Array.from({ length: 5 }, () => world.call("client__web__add"))
  client.addTool("more", world.tool())
  await world.quiet()
  lift()
  const before = world.proxy.of("register").length
  await world.pass(MINUTE)
  for (const call of calls) expect(call.settled).toMatchObject({ text: "done" })
  expect(await world.toolNames()).toEqual(["client__web__add", "client__web__more"])
  // Each time that it was told so while the fault lasted, and not more.
  expect(before).toBeLessThanOrEqual(4)
  expect(world.proxy.of("register").length - before).toBeLessThanOrEqual(1)
})

test.each([
  ["500", refuse(500)],
  ["a proxy's 502 page", answerHtml(502)],
  ["429 with Retry-After", refuse(429, { retryAfter: "3" })],
  ["a network error", drop],
])("Row 6. Pings meet %s three times: tried again before the ttl ends, and onError hears each once.", async (_words, fault) => {
  const world = await createWorld()
  const page = world.open()
  await page.serving()
  world.proxy.next("ping", fault, fault, fault)
  await world.pass(55_000)
  const pings = world.proxy.of("ping")
  expect(pings).toHaveLength(4)
  expect(pings[3]?.status).toBe(204)
  expect(page.errors).toHaveLength(3)
  expect(world.proxy.of("register")).toHaveLength(1)
  expect(await world.toolNames()).toEqual(["client__web__add"])
})

test("Row 6. A ping is never answered: it is given up in time for another before the ttl ends.", async () => {
  const world = await createWorld()
  const page = world.open()
  await page.serving()
  world.proxy.next("ping", halfOpen)
  await world.pass(59_000)
  expect(world.proxy.of("ping").map(({ status }) => status)).toEqual([undefined, 204])
  expect(world.proxy.of("register")).toHaveLength(1)
  expect(page.errors).toHaveLength(1)
})

test("Row 6. Retry-After is obeyed, and a very long one is cut at a minute.", async () => {
  const world = await createWorld()
  const page = world.open()
  await page.serving("web", undefined, { lifetime: { type: "ttl", data: { seconds: 600 } } })
  world.proxy.next("ping", refuse(429, { retryAfter: "20" }), refuse(503, { retryAfter: "86400" }))
  await world.pass(500_000)
  const [first, second, third] = world.proxy.of("ping")
  const gaps = [second!.at - first!.at, third!.at - second!.at]
  expect(gaps[0]).toBeGreaterThanOrEqual(20_000)
  expect(gaps[0]).toBeLessThanOrEqual(21_000)
  expect(gaps[1]).toBeGreaterThanOrEqual(60_000)
  expect(gaps[1]).toBeLessThanOrEqual(61_000)
  expect(world.proxy.of("register")).toHaveLength(1)
})
