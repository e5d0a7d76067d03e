// Rows 11, 12, 14 and 15 of the fault matrix: what can be wrong with a dispatch, a tool and its result.
import { expect, test } from "vitest"
import { hold, refuse } from "./faults.ts"
import { createWorld, type Execute, type Page, type World } from "./world.ts"

const MINUTE = 60_000

/** The last dispatch on the wire, as it was sent. */
function lastDispatch(world: World): string {
  const events = world.proxy.streams.map((stream) => stream.sent.toString()).join("").split("\n\n")
  return `${events.findLast((event) => event.includes("tool_call.dispatched"))}\n\n`
}

const dispatchOf = (data: object): string =>
  `event: tool_call.dispatched\ndata: ${JSON.stringify({ tool: "add", arguments: {}, deadline_ms: 300_000, ...data })}\n\n`

const inject = async (world: World, text: string): Promise<void> => {
  world.proxy.streams[0]?.inject(text)
  await world.quiet()
}

test("Row 11. The same dispatch comes again before its ack was taken: execute runs once, and the ack is sent again.", async () => {
  const world = await createWorld()
  await world.open().serving()
  const held = hold()
  world.proxy.next("ack", held.fault)
  const call = world.call("client__web__add")
  await world.quiet()
  await inject(world, lastDispatch(world))
  expect(world.executed).toHaveLength(1)
  expect(world.proxy.of("ack")).toHaveLength(2)
  held.release()
  await world.quiet()
  expect(call.settled).toMatchObject({ text: "done" })
})

test("Row 11. The same dispatch comes again while its tool runs: execute runs once, and one answer is sent.", async () => {
  const world = await createWorld()
  let finish = (_text: string): void => {}
  await world.open().serving("web", { add: () => new Promise<string>((resolve) => (finish = resolve)) })
  const call = world.call("client__web__add")
  await world.quiet()
  for (let count = 0; count < 5; count++) await inject(world, lastDispatch(world))
  finish("once")
  await world.quiet()
  expect(call.settled).toMatchObject({ text: "once" })
  expect(world.executed).toHaveLength(1)
  expect(world.proxy.of("answer")).toHaveLength(1)
})

test("Row 11. The same dispatch comes again while its answer is on its way: execute runs once.", async () => {
  const world = await createWorld()
  await world.open().serving()
  const held = hold()
  world.proxy.next("answer", held.fault)
  const call = world.call("client__web__add")
  await world.quiet()
  await inject(world, lastDispatch(world))
  held.release()
  await world.quiet()
  expect(call.settled).toMatchObject({ text: "done" })
  expect(world.executed).toHaveLength(1)
})

test("Row 11. The same dispatch comes again after its answer: execute runs once, ack and answer are sent again from the record.", async () => {
  const world = await createWorld()
  const page = world.open()
  await page.serving("web", { add: () => String(Math.random()) })
  const call = world.call("client__web__add")
  await world.quiet()
  await inject(world, lastDispatch(world))
  expect(world.executed).toHaveLength(1)
  expect(world.proxy.of("ack").map(({ status }) => status)).toEqual([204, 204])
  const answers = world.proxy.of("answer")
  expect(answers.map(({ status }) => status)).toEqual([204, 204])
  expect(answers[1]?.text).toBe(answers[0]?.text)
  expect(call.settled?.text).toBe(answers[0]?.body?.["text"])
  expect(page.errors).toEqual([])
})

test("Row 11. A call whose answer was not taken comes again after a thousand others: execute runs once.", async () => {
  const world = await createWorld({ server: { limits: { maxCallsPerMinute: 10_000 } } })
  const page = world.open()
  await page.serving()
  world.proxy.next("answer", refuse(400))
  const first = world.call("client__web__add")
  await world.quiet()
  for (let count = 0; count < 10; count++) {
    const calls = Array.from({ length: 110 }, () => world.call("client__web__add"))
    await world.quiet()
    for (const call of calls) expect(call.settled).toMatchObject({ text: "done" })
  }
  world.proxy.streams[0]?.cut()
  await world.pass(2_000)
  expect(first.settled).toBeDefined()
  expect(world.executed.filter((callId) => callId === world.executed[0])).toHaveLength(1)
})

test("Row 12. A dispatch is for a tool that was never there: answered with an error, and nothing is thrown.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  await inject(world, dispatchOf({ call_id: "strange", client_id: client.state.id, tool: "nothing" }))
  expect(world.proxy.of("answer")[0]?.body).toMatchObject({ call_id: "strange", is_error: true })
  expect(client.state.status).toBe("serving")
})

test("Row 12. A dispatch is for a tool that was removed while it was on its way: settled with an error that names those offered.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { add: () => "", other: () => "" })
  const held = hold()
  world.proxy.next("update", held.fault)
  client.removeTool("add")
  const call = world.call("client__web__add")
  await world.quiet()
  expect(call.settled).toMatchObject({ is_error: true, text: expect.stringContaining("other") })
  expect(world.executed).toEqual([])
  held.release()
  await world.quiet()
  await expect(world.call("client__web__add").outcome).rejects.toMatchObject({ code: "tool_not_found" })
})

test("Row 12. A tool is removed while it runs: the call still answers.", async () => {
  const world = await createWorld()
  let finish = (_text: string): void => {}
  const client = await world.open().serving("web", { add: () => new Promise<string>((resolve) => (finish = resolve)) })
  const call = world.call("client__web__add")
  await world.quiet()
  client.removeTool("add")
  await world.quiet()
  finish("done all the same")
  await world.quiet()
  expect(call.settled).toMatchObject({ text: "done all the same", is_error: false })
})

test("Row 12. A dispatch comes while the client is being deleted: it never runs, and the server settles it.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  const held = hold()
  world.proxy.next("delete", held.fault)
  const deleted = page.session.deleteToolClient(client)
  await world.quiet()
  const call = world.call("client__web__add")
  await world.quiet()
  expect(world.executed).toEqual([])
  held.release()
  await world.quiet()
  await deleted
  expect(call.settled).toMatchObject({ is_error: true })
  expect(world.proxy.of("ack", "answer")).toEqual([])
})

test("Row 12. A client is deleted while its tool runs: the signal aborts, the call is settled once, and no answer follows.", async () => {
  const world = await createWorld()
  const page = world.open()
  let signal: AbortSignal | undefined
  const client = await page.serving("web", {
    add(_args, call) {
      signal = call.signal
      return new Promise<string>(() => {})
    },
  })
  const call = world.call("client__web__add")
  await world.quiet()
  await page.session.deleteToolClient(client)
  expect(signal?.aborted).toBe(true)
  expect(call.settled).toMatchObject({ is_error: true, text: expect.stringContaining("may have run") })
  await world.pass(6 * MINUTE)
  expect(world.proxy.of("answer")).toEqual([])
})

test("Row 12. A dispatch is for another page's client: neither acked nor answered.", async () => {
  const world = await createWorld()
  const page = world.open()
  await page.serving()
  await inject(world, dispatchOf({ call_id: "theirs", client_id: "another" }))
  await world.pass(MINUTE)
  expect(world.executed).toEqual([])
  expect(world.proxy.of("ack", "answer")).toEqual([])
})

test("Row 12. A dispatch comes before the answer to the registration that it is for: it is held, and runs once.", async () => {
  const world = await createWorld()
  const page = world.open()
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  world.proxy.next("register", async (turn) => {
    const answer = await turn.forward()
    await turn.park(released)
    await turn.relay(answer)
  })
  page.session.createToolClient("web").addTool("add", world.tool())
  await world.quiet()
  const call = world.call("client__web__add")
  await world.quiet()
  expect(world.executed).toEqual([])
  release()
  await world.quiet()
  expect(call.settled).toMatchObject({ text: "done" })
  expect(world.executed).toHaveLength(1)
})

test.each(["not JSON at all", "null", "[]", "{}", '{"call_id":1}', '{"call_id":"k","client_id":"c","tool":"t","deadline_ms":"soon"}'])(
  "Row 12. A dispatch holds %s: it is reported and skipped, and the stream goes on.",
  async (data) => {
    const world = await createWorld()
    const page = world.open()
    await page.serving()
    await inject(world, `event: tool_call.dispatched\ndata: ${data}\n\nevent: unknown.event\ndata: ${data}\n\n`)
    expect(page.errors).toEqual([expect.objectContaining({ code: "bad_event" })])
    const call = world.call("client__web__add")
    await world.quiet()
    expect(call.settled).toMatchObject({ text: "done" })
    expect(world.proxy.of("stream")).toHaveLength(1)
  },
)

const cyclic: Record<string, unknown> = {}
cyclic["self"] = cyclic

const unreadable = {
  get message(): string {
    throw new Error("no message")
  },
}

const RESULTS: readonly [words: string, execute: Execute, expected: object][] = [
  ["throws an Error", () => { throw new Error("broken") }, { is_error: true, text: expect.stringContaining("broken") }],
  ["throws a string", () => { throw "a string" }, { is_error: true, text: expect.stringContaining("a string") }],
  ["throws undefined", () => { throw undefined }, { is_error: true }],
  ["throws what cannot be read", () => { throw unreadable }, { is_error: true }],
  ["rejects with null", () => Promise.reject(null), { is_error: true }],
  ["returns a cycle", () => cyclic, { is_error: true, text: expect.stringContaining("self") }],
  ["returns a BigInt", () => ({ deep: [1n] }) as never, { is_error: true, text: expect.stringContaining("deep") }],
  ["returns a function", () => (() => {}) as never, { is_error: true }],
  ["returns a symbol", () => Symbol("s") as never, { is_error: true }],
  ["returns a getter that throws", () => Object.defineProperty({}, "bad", { enumerable: true, get: () => { throw new Error("no") } }), { is_error: true, text: expect.stringContaining("bad") }],
  ["returns undefined", () => undefined, { is_error: false, text: expect.stringContaining("nothing") }],
  ["returns null", () => null, { is_error: false, text: "null" }],
  ["returns an object", () => ({ a: [1, "é🎈"] }), { is_error: false, text: '{"a":[1,"é🎈"]}' }],
  ["returns half a character", () => "\ud83c", { is_error: false, text: "\ufffd" }],
  ["returns an error answer", () => ({ text: "no", is_error: true }), { is_error: true, text: "no" }],
]

test.each(RESULTS)("Row 14. execute %s: the call is answered, and others are unharmed.", async (_words, execute, expected) => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { odd: execute, add: () => "done" })
  const [odd, other] = [world.call("client__web__odd"), world.call("client__web__add")]
  await world.quiet()
  expect(odd.settled).toMatchObject(expected)
  expect(other.settled).toMatchObject({ text: "done" })
  expect(client.state.calls.map(({ phase }) => phase)).toEqual(["answered", "answered"])
})

test.each<[string, Execute]>([
  ["never returns", () => new Promise<string>(() => {})],
  ["ignores its signal and returns too late", (_args, call) => new Promise((resolve) => call.signal.addEventListener("abort", () => setTimeout(() => resolve("late"), 20)))],
  ["throws when its signal aborts", (_args, call) => new Promise((_, reject) => call.signal.addEventListener("abort", () => reject(call.signal.reason as Error)))],
])("Row 14. execute %s: its signal aborts before the server's five minutes, and the model gets an answer of this page.", async (_words, execute) => {
  const world = await createWorld()
  const page = world.open()
  const signals: AbortSignal[] = []
  await page.serving("web", {
    add(args, call) {
      signals.push(call.signal)
      return execute(args, call)
    },
    other: () => "done",
  })
  const call = world.call("client__web__add")
  await world.pass(4 * MINUTE)
  expect(signals[0]?.aborted).toBe(false)
  const other = world.call("client__web__other")
  await world.pass(MINUTE - 1_000)
  expect(signals[0]?.aborted).toBe(true)
  expect(world.proxy.of("answer")).toHaveLength(2)
  expect(call.settled).toMatchObject({ is_error: true })
  expect(other.settled).toMatchObject({ text: "done" })
  await world.pass(MINUTE)
  expect(page.errors).toEqual([])
})

async function largeAndSmall(world: World, page: Page, text: string): Promise<{ large: unknown; small: unknown }> {
  await page.serving("web", { large: () => text, small: () => "done" })
  const [large, small] = [world.call("client__web__large"), world.call("client__web__small")]
  await world.pass(5_000)
  return { large: large.settled, small: small.settled }
}

test("Row 15. A result is longer than the cap: it is cut in its middle, no character is split, and the model is told.", async () => {
  const world = await createWorld()
  const { large, small } = await largeAndSmall(world, world.open(), "🎈".repeat(1_000_000))
  const { text } = large as { text: string }
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(128 * 1024)
  expect(text).toMatch(/^🎈+\n\[.* bytes were cut out .*\]\n🎈+$/u)
  expect(small).toMatchObject({ text: "done" })
})

test("Row 15. The server answers 413: an error answer goes in its place, and other calls are unharmed.", async () => {
  const world = await createWorld({ server: { limits: { maxBodyBytes: 20_000 } } })
  const page = world.open()
  const { large, small } = await largeAndSmall(world, page, "x".repeat(50_000))
  expect(large).toMatchObject({ is_error: true, text: expect.stringContaining("too large") })
  expect(small).toMatchObject({ text: "done" })
  expect(world.proxy.of("answer").map(({ status }) => status).sort()).toEqual([204, 204, 413])
})

test("Row 15. The server answers even the error 413: the call is failed here, and nothing is sent without end.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  world.proxy.always(["answer"], refuse(413))
  world.call("client__web__add")
  await world.pass(MINUTE)
  expect(client.state.calls[0]?.phase).toBe("failed")
  expect(world.proxy.of("answer")).toHaveLength(2)
})

test("Row 15. The tools are more than the server takes: the registration is refused, and only ready and the state tell.", async () => {
  const world = await createWorld({ server: { limits: { maxBodyBytes: 20_000 } } })
  const page = world.open()
  const client = page.session.createToolClient("web")
  client.addTool("add", { ...world.tool(), description: "x".repeat(30_000) })
  await world.pass(MINUTE)
  await expect(client.ready).rejects.toMatchObject({ status: 413 })
  expect(client.state).toMatchObject({ status: "failed", error: expect.objectContaining({ status: 413 }) })
  expect(page.errors).toEqual([])
  expect(world.proxy.of("register")).toHaveLength(1)
})

test("B2. A tool changes what is offered and returns: the server has the new set before the answer.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", {
    open: () => {
      client.removeTool("open")
      client.addTool("close", world.tool())
      return "opened"
    },
  })
  const held = hold()
  world.proxy.next("update", held.fault)
  const call = world.call("client__web__open")
  await world.quiet()
  expect(world.proxy.of("update")).toHaveLength(1)
  expect(world.proxy.of("answer")).toEqual([])
  held.release()
  await world.quiet()
  expect(call.settled).toMatchObject({ text: "opened" })
  const kinds = world.proxy.seen.map(({ kind }) => kind)
  expect(kinds.indexOf("update")).toBeLessThan(kinds.indexOf("answer"))
  expect(await world.toolNames()).toEqual(["client__web__close"])
})

test("B2. The new set cannot be sent: the answer waits two seconds, and no longer.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { open: () => (client.addTool("close", world.tool()), "opened") })
  const lift = world.proxy.always(["update"], refuse(503))
  const call = world.call("client__web__open")
  await world.pass(1_900)
  expect(call.settled).toBeUndefined()
  await world.pass(200)
  expect(call.settled).toMatchObject({ text: "opened" })
  lift()
  await world.pass(30_000)
  expect(await world.toolNames()).toEqual(["client__web__open", "client__web__close"])
})
