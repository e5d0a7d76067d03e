// Rows 8, 9, 10, 17 and 19 of the fault matrix: what can happen to the bytes of an event stream, and to its opening.
import { expect, test } from "vitest"
import { answer, answerHtml, type Fault, halfOpen, refuse, shape } from "./faults.ts"
import { type SeededRandom, seeded } from "./random.ts"
import type { RelayShape } from "./relay.ts"
import { createWorld, type World } from "./world.ts"

const MINUTE = 60_000

/** Characters of one to four bytes. */
const WORDS = "aé€🎈"

/** Opens sessions, each with its own shape of its first stream, and makes each answer two calls; gives the bytes of the first streams. */
async function answerTwoCalls(world: World, shapes: readonly RelayShape[]): Promise<readonly number[]> {
  const sessions = await Promise.all(shapes.map(() => world.server.createSession()))
  const first = new Map(sessions.map(({ id }, index) => [id, shape(shapes[index] ?? {})]))
  world.proxy.decide = ({ kind, path }) => {
    const id = path.split("/")[3] ?? ""
    const fault = kind === "stream" ? first.get(id) : undefined
    if (fault) first.delete(id)
    return fault
  }
  const heard = sessions.map((): unknown[] => [])
  const pages = sessions.map(({ id: sessionId }) => world.open({ sessionId }))
  for (const [index, page] of pages.entries()) {
    page.session.createToolClient("web").addTool("say", world.tool((args) => {
      heard[index]?.push(args)
      return JSON.stringify(args)
    }))
  }
  await world.pass(2_000)
  const streams = new Map(world.proxy.streams.map((stream) => [stream.seen.path.split("/")[3], stream]))
  const calls = sessions.map(({ id }) => [1, 2].map((number) => world.call("client__web__say", { number, words: WORDS }, id)))
  await world.pass(4_000)
  for (const [index, ofSession] of calls.entries()) {
    const which = `the stream that was shaped as ${JSON.stringify(shapes[index])}`
    for (const [at, call] of ofSession.entries()) {
      expect(call.settled, which).toMatchObject({ text: JSON.stringify({ number: at + 1, words: WORDS }), is_error: false })
    }
    expect(heard[index], which).toEqual([1, 2].map((number) => ({ number, words: WORDS })))
    expect(pages[index]?.session.state.status, which).toBe("open")
  }
  const bytes = sessions.map(({ id }) => streams.get(id)?.sent.length ?? 0)
  await Promise.all(pages.map(({ session }) => session.close()))
  await world.quiet()
  return bytes
}

test.each([
  ["reset after every number of bytes", 1, false],
  ["ended properly after every seventh number of bytes", 7, true],
])("Row 8. A stream is %s: after its resumption all events have come in order, and nothing ran twice.", async (_words, step, endsCleanly) => {
  const world = await createWorld()
  const [length = 0] = await answerTwoCalls(world, [{}])
  expect(length).toBeGreaterThan(500)
  const shapes: RelayShape[] = []
  for (let cutAfter = 0; cutAfter <= length; cutAfter += step) shapes.push({ cutAfter, endsCleanly })
  const AT_ONCE = 50
  for (let from = 0; from < shapes.length; from += AT_ONCE) await answerTwoCalls(world, shapes.slice(from, from + AT_ONCE))
  expect(world.executed.length).toBe(2 * (shapes.length + 1))
}, 120_000)

test("Row 8. A stream is cut between the bytes of one character: the character is whole after its resumption.", async () => {
  const world = await createWorld()
  await answerTwoCalls(world, [{ cutInCharacter: true }, { cutInCharacter: true, endsCleanly: true }])
})

/** Each event as another server might write it. */
function rewritten(random: SeededRandom): (chunk: Buffer) => Buffer {
  let isFirst = true
  return (chunk) => {
    const newline = random.pick(["\n", "\r\n", "\r"])
    let text = chunk.toString()
    // Where JSON takes a line break, an event may have one.
    if (random.chance(0.5)) text = text.replaceAll('data: {"', 'data: {\ndata:"')
    if (random.chance(0.5)) text = text.replaceAll("event: ", ": a comment\nretry: 1\nevent:")
    text = text.replaceAll("\n", newline)
    if (isFirst && random.chance(0.5)) text = `\uFEFF${text}`
    isFirst = false
    return Buffer.from(text)
  }
}

test("Row 9. A stream comes byte by byte: the events are the same.", async () => {
  const world = await createWorld()
  await answerTwoCalls(world, [{ split: (chunk) => Array.from(chunk, (byte) => Buffer.from([byte])) }])
})

test("Row 9. A stream has line ends of all kinds, a byte order mark, comments, several data lines, and is split anywhere: the events are the same.", () =>
  seeded(async (random) => {
    const world = await createWorld()
    const shapes = Array.from({ length: 100 }, () => ({
      rewrite: rewritten(random),
      split(chunk: Buffer) {
        const parts: Buffer[] = []
        for (let from = 0; from < chunk.length; ) {
          const to = from + 1 + random.below(random.pick([1, 4, 40, 400]))
          parts.push(chunk.subarray(from, to))
          from = to
        }
        return parts
      },
    }))
    await answerTwoCalls(world, shapes)
  }))

test("Row 9. A stream ends without the blank line of its last event: that event is discarded.", async () => {
  const world = await createWorld()
  const page = world.open()
  world.proxy.next("stream", shape({ rewrite: (chunk) => (chunk.includes("tool_call.dispatched") ? chunk.subarray(0, -1) : chunk) }))
  await page.serving()
  world.proxy.always(["stream"], refuse(503))
  const call = world.call("client__web__add")
  await world.quiet()
  world.proxy.streams[0]?.end()
  await world.pass(10_000)
  expect(world.executed).toEqual([])
  expect(call.settled).toBeUndefined()
})

test("Row 10. An event of 100 MB without an end: an error at the cap, the stream is replaced, and memory stays.", async () => {
  const world = await createWorld()
  const page = world.open()
  await page.serving()
  const [stream] = world.proxy.streams
  const before = process.memoryUsage().heapUsed
  stream?.inject("event: tool_call.dispatched\ndata: ")
  const megabyte = "x".repeat(1024 * 1024)
  let sent = 0
  for (; sent < 100 && world.proxy.streams.includes(stream!); sent++) {
    stream?.inject(megabyte)
    await world.quiet()
  }
  expect(sent).toBeLessThan(20)
  await world.pass(2_000)
  expect(page.errors).toEqual([expect.objectContaining({ code: "bad_stream", message: expect.stringContaining("too large") })])
  expect(world.proxy.streams).toHaveLength(1)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 * 1024)
  const call = world.call("client__web__add")
  await world.quiet()
  expect(call.settled).toMatchObject({ text: "done" })
})

test.each<[string, Fault]>([
  ["is ended as soon as it is open", shape({ cutAfter: 30, endsCleanly: true })],
  ["is cut as soon as it is open", shape({ cutAfter: 30 })],
  ["is a page of HTML with 200", answerHtml(200)],
  ["is a page of HTML with 502", answerHtml(502)],
  ["is answered 204", answer(204)],
  ["is redirected", answer(302, { location: "/login" })],
  ["is a page of HTML with 404", answerHtml(404)],
  ["is answered 500", refuse(500)],
])("Row 17. The stream %s, again and again: the back-off grows, there is no hot loop, and it serves when that is over.", async (_words, fault) => {
  const world = await createWorld()
  const page = world.open()
  const lift = world.proxy.always(["stream"], fault)
  const client = page.session.createToolClient("web")
  client.addTool("add", world.tool())
  await world.pass(10 * MINUTE)
  const streams = world.proxy.of("stream").map(({ at }) => at)
  const gaps = streams.slice(1).map((at, index) => at - streams[index]!)
  // Half of 0.5 s, 1 s, 2 s, … 30 s.
  expect(gaps.slice(0, 8)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
  expect(Math.min(...gaps.slice(6))).toBe(15_000)
  // A stream that opens wakes what waits for it, once each.
  expect(world.proxy.seen.length).toBeLessThanOrEqual(3 * streams.length)
  expect(page.session.state.status).not.toBe("failed")
  lift()
  await world.within(30_000, () => client.state.status === "serving" && page.session.state.status === "open")
  expect(await world.toolNames()).toEqual(["client__web__add"])
})

test("Row 17. A stream that was up for five seconds has proven itself: the next back-off begins anew; one that was not has not.", async () => {
  const world = await createWorld()
  world.open()
  await world.quiet()
  const gapAfter = async (ms: number): Promise<number> => {
    await world.pass(ms)
    const count = world.proxy.of("stream").length
    world.proxy.streams[0]?.cut()
    return world.within(30_000, () => world.proxy.of("stream").length > count)
  }
  expect(await gapAfter(1_000)).toBeLessThanOrEqual(300)
  expect(await gapAfter(1_000)).toBeGreaterThan(300)
  expect(await gapAfter(1_000)).toBeGreaterThan(900)
  expect(await gapAfter(6_000)).toBeLessThanOrEqual(300)
})

test("Row 19. An open stream falls silent: it is replaced once, after two and a half keep-alives, and what was missed comes then.", async () => {
  const world = await createWorld()
  const page = world.open()
  await page.serving()
  const silent = world.proxy.streams[0]
  silent?.silence()
  const call = world.call("client__web__add")
  await world.pass(36_000)
  expect(world.proxy.of("stream")).toHaveLength(1)
  await world.pass(3_000)
  expect(call.settled).toMatchObject({ text: "done" })
  await world.pass(5 * MINUTE)
  expect(world.proxy.of("stream")).toHaveLength(2)
  expect(world.proxy.streams).toHaveLength(1)
  expect(page.errors).toHaveLength(1)
  expect(world.proxy.of("register")).toHaveLength(1)
})

test("Row 19. A stream is accepted and never answered: it is given up after ten seconds, with its likely cause, and tried again.", async () => {
  const world = await createWorld()
  const page = world.open()
  world.proxy.next("stream", halfOpen)
  const client = page.session.createToolClient("web")
  await world.pass(9_900)
  expect(world.proxy.of("stream")).toHaveLength(1)
  await world.pass(1_000)
  expect(world.proxy.of("stream")).toHaveLength(2)
  expect(client.state.status).toBe("serving")
  expect(String(page.errors[0])).toContain("proxy")
})

test("Row 19. The headers of a stream come and nothing after them: it is replaced as a silent one.", async () => {
  const world = await createWorld()
  const page = world.open()
  world.proxy.next("stream", shape({ rewrite: () => Buffer.alloc(0) }))
  await world.pass(39_000)
  expect(world.proxy.of("stream")).toHaveLength(2)
  expect(page.session.state.status).toBe("open")
})

test.each(["register", "update", "ping", "ack", "answer"] as const)(
  "Row 19. A request (%s) is accepted and never answered: it is given up and sent again.",
  async (kind) => {
    const world = await createWorld()
    const page = world.open()
    world.proxy.next(kind, halfOpen)
    const client = page.session.createToolClient("web")
    client.addTool("add", world.tool())
    await world.pass(35_000)
    client.addTool("more", world.tool())
    await world.pass(35_000)
    const call = world.call("client__web__add")
    await world.pass(35_000)
    expect(call.settled).toMatchObject({ text: "done" })
    expect(client.state).toMatchObject({ status: "serving", tools: ["add", "more"] })
    expect(await world.toolNames()).toEqual(["client__web__add", "client__web__more"])
  },
)
