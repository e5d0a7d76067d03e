// Row 18 of the fault matrix, and the refreshing of tokens: what a client does when its token is not taken.
import { expect, test } from "vitest"
import { hold, refuse } from "./faults.ts"
import { createWorld, type World } from "./world.ts"

const MINUTE = 60_000

/** A `getToken` that counts, and gives a new token each time. */
function tokensOf(world: World) {
  const asked: number[] = []
  return {
    asked,
    getToken: (sessionId: string) => {
      asked.push(world.now)
      return world.token(sessionId)
    },
  }
}

test("Row 18. Stream, ping, update and answer are all answered 401 at once: one refresh is shared by all, and all go on.", async () => {
  const world = await createWorld()
  const { asked, getToken } = tokensOf(world)
  const page = world.open({ getToken })
  const client = await page.serving()
  await world.pass(31_000)
  const old = world.proxy.seen[0]?.authorization
  expect(asked).toHaveLength(1)
  world.proxy.decide = ({ authorization }) => (authorization === old ? refuse(401) : undefined)
  // So that the new token has another time in it.
  await world.pass(1_000)
  const call = world.call("client__web__add")
  client.addTool("more", world.tool())
  world.proxy.streams[0]?.cut()
  await world.pass(5_000)
  expect(asked).toHaveLength(2)
  expect(call.settled).toMatchObject({ text: "done" })
  expect(page.session.state.status).toBe("open")
  expect(client.state).toMatchObject({ status: "serving", tools: ["add", "more"] })
  expect(world.proxy.of("register")).toHaveLength(1)
})

test.each(["stream", "register", "update", "ping", "ack", "answer"] as const)(
  "Row 18. A %s is answered 401 twice: the session fails, and nothing is sent any more.",
  async (kind) => {
    const world = await createWorld()
    const page = world.open()
    const client = page.session.createToolClient("web")
    client.addTool("add", world.tool())
    world.proxy.always([kind], refuse(401))
    await world.pass(1_000)
    if (kind !== "stream" && kind !== "register") {
      client.addTool("more", world.tool())
      world.call("client__web__add")
    }
    await world.pass(MINUTE)
    expect(page.session.state).toMatchObject({ status: "failed", error: expect.objectContaining({ code: "unauthorized" }) })
    expect(client.state).toMatchObject({ status: "failed", error: expect.objectContaining({ code: "unauthorized" }) })
    const count = world.proxy.seen.length
    expect(count).toBeLessThan(12)
    await world.pass(10 * MINUTE)
    expect(world.proxy.seen).toHaveLength(count)
    expect(world.machine.pending).toBe(0)
  },
)

test("Row 18. A session that failed by 401 is tried again by its user: it serves again under the same name, and its open calls are answered.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { add: () => new Promise((resolve) => world.machine.setTimeout(() => resolve("done"), 60_000)) })
  const call = world.call("client__web__add")
  const lift = world.proxy.always(["ping"], refuse(401))
  await world.pass(40_000)
  expect(page.session.state.status).toBe("failed")
  await world.pass(30_000)
  lift()
  page.session.retry()
  await world.pass(5_000)
  expect(client.state).toMatchObject({ status: "serving", name: "web" })
  expect(call.settled).toBeDefined()
  expect(world.executed).toHaveLength(1)
})

test("Row 18. getToken is slow: all requests wait for the one that was asked.", async () => {
  const world = await createWorld()
  const { asked, getToken } = tokensOf(world)
  const page = world.open({
    getToken: async (id) => {
      const token = await getToken(id)
      await new Promise<void>((resolve) => world.machine.setTimeout(resolve, 6_000))
      return token
    },
  })
  const clients = ["a", "b", "c"].map((name) => page.session.createToolClient(name))
  await world.pass(5_000)
  expect(world.proxy.seen).toEqual([])
  await world.pass(2_000)
  expect(clients.map(({ state }) => state.status)).toEqual(["serving", "serving", "serving"])
  expect(asked).toHaveLength(1)
})

test("Row 18. getToken never answers: it is asked again, and its late answer harms nothing.", async () => {
  const world = await createWorld()
  const { asked, getToken } = tokensOf(world)
  const page = world.open({ getToken: (id) => (asked.length === 0 ? (asked.push(0), new Promise(() => {})) : getToken(id)) })
  const client = page.session.createToolClient("web")
  await world.pass(15_000)
  expect(client.state.status).toBe("serving")
  expect(asked).toHaveLength(2)
})

test.each<[string, () => string]>([
  ["throws", () => { throw new Error("the back end is down") }],
  ["gives no string", () => undefined as never],
  ["gives an empty string", () => ""],
])("Row 18. getToken %s for ten minutes: it is asked again with a growing back-off, and the session goes on after that.", async (_words, bad) => {
  const world = await createWorld()
  let isBad = true
  let count = 0
  const { getToken } = tokensOf(world)
  const page = world.open({
    getToken(id) {
      count++
      return isBad ? bad() : getToken(id)
    },
  })
  const client = page.session.createToolClient("web")
  await world.pass(10 * MINUTE)
  expect(count).toBeGreaterThan(10)
  expect(count).toBeLessThan(60)
  expect(world.proxy.seen).toEqual([])
  expect(page.session.state.status).not.toBe("failed")
  isBad = false
  await world.within(31_000, () => client.state.status === "serving")
})

test("Row 18. getToken gives the same token that was refused: the session fails, with no loop.", async () => {
  const world = await createWorld()
  const token = await world.token()
  let count = 0
  const page = world.open({ getToken: () => (count++, token) })
  world.proxy.always(["stream"], refuse(401))
  await world.pass(10 * MINUTE)
  expect(page.session.state).toMatchObject({ status: "failed", error: expect.objectContaining({ code: "unauthorized" }) })
  expect(count).toBe(2)
  expect(world.proxy.seen).toHaveLength(2)
})

test("Row 18. A token stands in the Authorization header only: in no URL, no body, no error, no state.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  world.proxy.next("ping", refuse(500), refuse(401), refuse(404))
  world.proxy.next("answer", refuse(403))
  world.call("client__web__add")
  world.proxy.streams[0]?.cut()
  await world.pass(2 * MINUTE)
  const tokens = new Set(world.proxy.seen.map(({ authorization }) => authorization.replace("Bearer ", "")))
  expect(tokens.size).toBeGreaterThan(0)
  const told = [...page.errors, client.state, page.session.state].map((item) => inspectAll(item)).join("\n")
  for (const token of tokens) {
    expect(token.length).toBeGreaterThan(50)
    for (const { path, text } of world.proxy.seen) expect(path + text).not.toContain(token)
    expect(told).not.toContain(token)
  }
})

function inspectAll(value: unknown): string {
  if (value instanceof Error) return `${value.stack} ${JSON.stringify(value)} ${inspectAll(value.cause)}`
  return JSON.stringify(value)
}

test("Security. A token ends in the middle of a stream: it is renewed once, the stream goes on where it was, and calls go on.", async () => {
  const world = await createWorld({ server: { tokenTtlSeconds: 120 } })
  const { asked, getToken } = tokensOf(world)
  const page = world.open({ getToken })
  const client = await page.serving()
  for (let minute = 1; minute <= 10; minute++) {
    await world.pass(MINUTE)
    const call = world.call("client__web__add")
    await world.pass(1_000)
    expect(call.settled).toMatchObject({ text: "done" })
  }
  expect(client.state.status).toBe("serving")
  // Each stream ends with its token. What it had missed came with the next, so nothing was registered anew.
  expect(world.proxy.of("stream").length).toBeGreaterThan(5)
  expect(world.proxy.of("register")).toHaveLength(1)
  expect(asked.length).toBeLessThanOrEqual(6)
  expect(page.errors).toEqual([])
})

test("Security. A token ends while the answer of a long call is on its way: the answer is sent with the new one.", async () => {
  const world = await createWorld({ server: { tokenTtlSeconds: 20 } })
  const page = world.open()
  await page.serving("web", { add: () => new Promise((resolve) => world.machine.setTimeout(() => resolve("done"), 25_000)) })
  const held = hold()
  world.proxy.next("answer", held.fault)
  const call = world.call("client__web__add")
  await world.pass(26_000)
  held.release()
  await world.pass(1_000)
  expect(call.settled).toMatchObject({ text: "done" })
})
