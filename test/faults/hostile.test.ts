// Rows 28 and 29 of the fault matrix, and what a hostile page, agent or server may try.
import { expect, test } from "vitest"
import { answerHtml, drop, type Fault, halfOpen, refuse } from "./faults.ts"
import type { RequestKind } from "./proxy.ts"
import { API_KEY, createWorld, type World } from "./world.ts"

const MINUTE = 60_000

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

/** A request as somebody sends it who does not use this package. */
async function send(world: World, method: string, path: string, bearer: string, text: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${world.proxy.url}/v1/sessions/${world.sessionId}${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    body: text,
  })
  return { status: response.status, text: await response.text() }
}

const callByHttp = (world: World, text: string) => send(world, "POST", "/tool-calls?wait=0", API_KEY, text)

const aRegistration = (more: object): string =>
  JSON.stringify({ name: "evil", instance_id: "evil", load_id: "1", lifetime: { type: "never" }, tools: [], ...more })

test.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"])(
  "Row 28. Arguments have a key %s: the tool gets them as they were sent, and nothing else changes.",
  async (key) => {
    const world = await createWorld()
    let got: unknown
    await world.open().serving("web", { add: (args) => ((got = args), "done") })
    const { status } = await callByHttp(world, `{"tool":"client__web__add","arguments":{"${key}":{"polluted":true},"deep":[{"${key}":1}]}}`)
    expect(status).toBe(202)
    await world.quiet()
    expect(Object.keys(got as object)).toEqual([key, "deep"])
    expect(JSON.stringify(got)).toBe(`{"${key}":{"polluted":true},"deep":[{"${key}":1}]}`)
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  },
)

test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"])(
  "Row 28. A tool is named %s: it is offered and called like any other.",
  async (name) => {
    const world = await createWorld()
    const client = await world.open().serving("web", { add: () => "another" })
    client.addTool(name, world.tool(() => `I am ${name}`))
    await world.quiet()
    expect(await world.toolNames()).toEqual(["client__web__add", `client__web__${name}`])
    expect((await world.call(`client__web__${name}`).outcome).text).toBe(`I am ${name}`)
    client.removeTool(name)
    await world.quiet()
    await expect(world.call(`client__web__${name}`).outcome).rejects.toMatchObject({ code: "tool_not_found" })
  },
)

test("Row 28. No tool is called that was never offered, whatever an object has by itself.", async () => {
  const world = await createWorld()
  await world.open().serving()
  for (const name of ["__proto__", "constructor", "toString"]) {
    for (const tool of [name, `client__web__${name}`, `client__${name}__add`]) {
      await expect(world.call(tool).outcome).rejects.toMatchObject({ code: "tool_not_found" })
    }
  }
})

test("Row 28. Arguments nest ten thousand deep: refused to the agent with 400, over HTTP and in process, and the server goes on.", async () => {
  const world = await createWorld()
  await world.open().serving()
  for (const depth of [200, 10_000, 100_000]) {
    const { status } = await callByHttp(world, `{"tool":"client__web__add","arguments":${nested(depth)}}`)
    expect(status).toBe(400)
    await expect(world.call("client__web__add", JSON.parse(nested(depth))).outcome).rejects.toMatchObject({ code: "invalid_request" })
  }
  expect((await world.call("client__web__add").outcome).text).toBe("done")
})

test("Row 28. A server sends arguments that nest a hundred thousand deep: the tool answers, and the stream goes on.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { add: (args) => typeof args })
  world.proxy.streams[0]?.inject(
    `event: tool_call.dispatched\ndata: {"call_id":"deep","client_id":"${client.state.id}","tool":"add","deadline_ms":60000,"arguments":${nested(100_000)}}\n\n`,
  )
  await world.quiet()
  expect(world.proxy.of("answer")[0]?.body).toMatchObject({ call_id: "deep", text: "object" })
  expect((await world.call("client__web__add").outcome).text).toBe("object")
  expect(world.proxy.of("stream")).toHaveLength(1)
})

test("Row 28. A result nests a hundred thousand deep: the call is answered with an error, and the page goes on.", async () => {
  const world = await createWorld()
  await world.open().serving("web", { deep: () => JSON.parse(nested(100_000)) as object, add: () => "done" })
  expect(await world.call("client__web__deep").outcome).toMatchObject({ is_error: true })
  expect((await world.call("client__web__add").outcome).text).toBe("done")
})

test("Row 28. Arguments are larger than a page's stream takes: refused to the agent with 413, over HTTP and in process, and the stream stays.", async () => {
  const world = await createWorld()
  const page = world.open()
  await page.serving()
  const args = { text: "x".repeat(9 * 1024 * 1024) }
  expect((await callByHttp(world, JSON.stringify({ tool: "client__web__add", arguments: args }))).status).toBe(413)
  await expect(world.call("client__web__add", args).outcome).rejects.toMatchObject({ status: 413, code: "body_too_large" })
  await world.pass(MINUTE)
  expect(world.proxy.of("stream")).toHaveLength(1)
  expect(page.errors).toEqual([])
})

test("Row 28. A page registers schemas with __proto__ and patterns that blow up: the server is neither changed nor held up.", async () => {
  const world = await createWorld()
  const token = await world.token()
  const schema = '{"type":"object","__proto__":{"polluted":true},"properties":{"text":{"type":"string","pattern":"^(a+)+$"}}}'
  const text = aRegistration({}).replace('"tools":[]', `"tools":[{"name":"t","description":"","parameters":${schema}}]`)
  expect((await send(world, "POST", "/tool-clients", token, text)).status).toBe(201)
  const [tool] = await world.server.tools(world.sessionId)
  expect(JSON.stringify(tool?.parameters)).toBe(schema)
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  const before = performance.now()
  expect((await callByHttp(world, JSON.stringify({ tool: "client__evil__t", arguments: { text: `${"a".repeat(60)}!` } }))).status).toBe(202)
  expect(performance.now() - before).toBeLessThan(2_000)
})

test.each([0, -1, 0.001, 0.999, Number.NaN, Infinity, 1e8])("Row 29. A ttl of %d s is refused, by the client and by the server.", async (seconds) => {
  const world = await createWorld()
  const page = world.open()
  const lifetime = { type: "ttl", data: { seconds } } as const
  expect(() => page.session.createToolClient("web", { lifetime })).toThrow(RangeError)
  const token = await world.token()
  expect((await send(world, "POST", "/tool-clients", token, aRegistration({ lifetime }))).status).toBe(400)
  await world.quiet()
  expect(world.proxy.of("register").filter(({ status }) => status !== 400)).toEqual([])
})

test.each([1, 2, 3, 86_400])("Row 29. A ttl of %d s: never more than one ping a second, and none too few.", async (seconds) => {
  const world = await createWorld()
  const page = world.open()
  const lifetime = { type: "ttl", data: { seconds } } as const
  if (seconds < 2) {
    expect(() => page.session.createToolClient("web", { lifetime })).toThrow(RangeError)
    return
  }
  const client = await page.serving("web", undefined, { lifetime })
  await world.pass(MINUTE)
  expect(client.state.status).toBe("serving")
  expect(world.proxy.of("ping").length).toBeLessThanOrEqual(60)
  expect(world.proxy.of("register")).toHaveLength(1)
})

test("Security. An answer comes from a client that does not own the call: refused with 403, and the owner's answer counts.", async () => {
  const world = await createWorld()
  let finish = (_text: string): void => {}
  await world.open().serving("web", { add: () => new Promise<string>((resolve) => (finish = resolve)) })
  const call = world.call("client__web__add")
  await world.quiet()
  const [callId] = world.executed
  const token = await world.token()
  const { text } = await send(world, "POST", "/tool-clients", token, aRegistration({}))
  const { id } = JSON.parse(text) as { id: string }
  const forged = JSON.stringify({ call_id: callId, text: "forged", is_error: false })
  expect((await send(world, "POST", `/tool-clients/${id}/answers`, token, forged)).status).toBe(403)
  await send(world, "POST", `/tool-clients/${id}/acks`, token, JSON.stringify({ call_ids: [callId] }))
  const { token: foreign } = await world.server.createSession()
  const owner = world.proxy.of("ack")[0]?.path.split("/").at(-2) ?? ""
  expect((await send(world, "POST", `/tool-clients/${owner}/answers`, foreign, forged)).status).toBe(403)
  expect(call.settled).toBeUndefined()
  finish("mine")
  await world.quiet()
  expect(call.settled).toMatchObject({ text: "mine" })
})

test("Security. A second page takes the name of the first: names are kept apart, and no call of one reaches the other.", async () => {
  const world = await createWorld()
  await world.open().serving("web", { pay: () => "the real one" })
  const second = await world.open().serving("web", { pay: () => "the shadow" })
  const third = await world.open().serving("web_2", { pay: () => "another shadow" })
  expect([second.state.name, third.state.name]).toEqual(["web_2", "web_2_2"])
  expect((await world.call("client__web__pay").outcome).text).toBe("the real one")
  expect((await world.call("client__web_2__pay").outcome).text).toBe("the shadow")
  expect((await world.call("client__web_2_2__pay").outcome).text).toBe("another shadow")
  const token = await world.token()
  for (const name of ["web__pay", "web_", "", "a b", "é"]) {
    expect((await send(world, "POST", "/tool-clients", token, aRegistration({ name }))).status).toBe(400)
  }
})

const ALL: readonly RequestKind[] = ["stream", "register", "update", "ping", "ack", "answer", "delete"]
const ALL_BUT_STREAM = ALL.filter((kind) => kind !== "stream")
const ALL_BUT_STREAM_AND_REGISTER = ALL_BUT_STREAM.filter((kind) => kind !== "register")

const REFUSALS: readonly [words: string, fault: Fault][] = [
  ["401", refuse(401)],
  ["403", refuse(403)],
  ["404 not_found", refuse(404, { code: "not_found" })],
  ["404 session_not_found", refuse(404, { code: "session_not_found" })],
  ["404 tool_client_not_found", refuse(404)],
  ["404 by a proxy", answerHtml(404)],
  ["409", refuse(409)],
  ["410", refuse(410)],
  ["413", refuse(413)],
  ["422", refuse(422)],
  ["429", refuse(429)],
  ["429 with Retry-After: 0", refuse(429, { retryAfter: "0" })],
  ["500", refuse(500)],
  ["503 with Retry-After", refuse(503, { retryAfter: "5" })],
  ["200 by a login page", answerHtml(200)],
  ["no answer, but a reset", drop],
  ["silence", halfOpen],
]

/** Longer than the deadline of a call. */
const MINUTES = 8

/** Nine answers, three updates, three pings and a stream, each tried up to nine times; nine calls that are dispatched and acked every ten seconds. */
const FIRST_MINUTE = 16 * 9 + 9 * 6

/** Three pings, three updates and a stream, each tried every six seconds at most. */
const LATER_MINUTES = 7 * 10

/** Three clients with two calls each in flight, tools that change every ten seconds, and an agent that calls every minute. */
async function busyUnder(world: World, kinds: readonly RequestKind[], fault: Fault): Promise<readonly number[]> {
  const page = world.open()
  const clients = await Promise.all(["a", "b", "c"].map((name) => page.serving(name, { add: () => new Promise((resolve) => world.machine.setTimeout(() => resolve("done"), 5_000)) })))
  for (const { name } of clients) for (let count = 0; count < 2; count++) world.call(`client__${name}__add`)
  await world.quiet()
  world.proxy.always(kinds, fault)
  if (kinds.includes("stream")) world.proxy.streams[0]?.cut()
  const minutes: number[] = []
  for (let minute = 0; minute < MINUTES; minute++) {
    const before = world.proxy.seen.length
    for (let ten = 0; ten < 6; ten++) {
      for (const client of clients) client.addTool(`tool_${minute}_${ten}`, world.tool())
      if (ten === 0) for (const name of await world.toolNames().catch(() => [])) if (name.endsWith("add")) world.call(name)
      // Events of others come all the time: each is a reason to look whether a ping is due.
      await world.server.setRunning(world.sessionId, ten % 2 === 0).catch(() => {})
      await world.pass(10_000)
    }
    minutes.push(world.proxy.seen.length - before)
  }
  return minutes
}

test.each(REFUSALS)("Security. Everything is answered %s for eight minutes: no storm of requests.", async (_words, fault) => {
  const world = await createWorld()
  const minutes = await busyUnder(world, ALL, fault)
  expect(minutes[0]).toBeLessThanOrEqual(FIRST_MINUTE)
  expect(Math.max(...minutes.slice(1))).toBeLessThanOrEqual(LATER_MINUTES)
}, 60_000)

test.each(REFUSALS)("Security. Everything but the stream is answered %s for eight minutes: no storm of requests.", async (_words, fault) => {
  const world = await createWorld()
  const minutes = await busyUnder(world, ALL_BUT_STREAM, fault)
  expect(minutes[0]).toBeLessThanOrEqual(FIRST_MINUTE)
  expect(Math.max(...minutes.slice(1))).toBeLessThanOrEqual(LATER_MINUTES)
}, 60_000)

test.each(REFUSALS)(
  "Security. Registrations are taken and all else is answered %s for eight minutes, as by servers that do not know of each other: no storm of requests.",
  async (_words, fault) => {
    const world = await createWorld()
    const minutes = await busyUnder(world, ALL_BUT_STREAM_AND_REGISTER, fault)
    expect(minutes[0]).toBeLessThanOrEqual(FIRST_MINUTE)
    // Each client registers again and again, every half minute or so, and sends its tools and acks each time.
    expect(Math.max(...minutes.slice(1))).toBeLessThanOrEqual(2 * LATER_MINUTES)
  },
  60_000,
)
