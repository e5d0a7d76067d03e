// Rows 7 and 13 of the fault matrix: requests and answers that get lost on their way, and those that come too late.
import { expect, test } from "vitest"
import { answerHtml, cutUpload, drop, duplicate, type Fault, halfOpen, loseAnswer, refuse, stuck, swallowAnswer } from "./faults.ts"
import { createWorld } from "./world.ts"

const MINUTE = 60_000

const LOSSES: readonly [words: string, fault: Fault][] = [
  ["is accepted and its answer lost", loseAnswer],
  ["is accepted and its answer never comes", swallowAnswer],
  ["is cut in the middle of its body", cutUpload],
  ["is lost before the server has it", drop],
  ["is never answered", halfOpen],
  ["reaches the server twice", duplicate],
]

test.each(LOSSES)("Row 7. A registration %s: the server holds one client, with the newest tool set.", async (_words, fault) => {
  const world = await createWorld()
  const page = world.open()
  world.proxy.next("register", fault)
  const client = page.session.createToolClient("web")
  client.addTool("old", world.tool())
  await world.quiet()
  client.removeTool("old")
  client.addTool("new", world.tool())
  await world.pass(MINUTE)
  expect(client.state).toMatchObject({ status: "serving", name: "web", tools: ["new"] })
  expect(await world.toolNames()).toEqual(["client__web__new"])
  const ids = new Set(world.proxy.of("register").map(({ body }) => `${String(body?.["instance_id"])} ${String(body?.["load_id"])}`))
  expect(ids.size).toBe(1)
  expect(world.call("client__web__new").error).toBeUndefined()
  await world.quiet()
  expect(world.executed).toHaveLength(1)
})

test.each(LOSSES)("Row 7. An update %s: the server holds the newest tool set.", async (_words, fault) => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { a: () => "" })
  world.proxy.next("update", fault)
  client.addTool("b", world.tool())
  await world.quiet()
  client.removeTool("a")
  client.addTool("c", world.tool())
  await world.pass(MINUTE)
  expect(client.state.tools).toEqual(["b", "c"])
  expect(await world.toolNames()).toEqual(["client__web__b", "client__web__c"])
  expect(world.proxy.of("register")).toHaveLength(1)
})

test.each(LOSSES)("Row 7. A ping %s: the client stays the one it is.", async (_words, fault) => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  const { id } = client.state
  world.proxy.next("ping", fault)
  await world.pass(3 * MINUTE)
  expect(client.state).toMatchObject({ status: "serving", id })
  expect(world.proxy.of("register")).toHaveLength(1)
  expect(await world.toolNames()).toEqual(["client__web__add"])
})

test("Row 7. A copy of a registration comes long after its retry and an update: the newest tool set stays.", async () => {
  const world = await createWorld()
  const page = world.open()
  const copy = stuck()
  world.proxy.next("register", copy.fault)
  const client = page.session.createToolClient("web")
  client.addTool("old", world.tool())
  await world.pass(1_000)
  client.removeTool("old")
  client.addTool("new", world.tool())
  await world.pass(1_000)
  await copy.deliver()
  await world.pass(MINUTE)
  expect(await world.toolNames()).toEqual(["client__web__new"])
  expect(client.state.tools).toEqual(["new"])
})

test("Row 7. A copy of a registration comes after the client had to register again: the newest tool set stays.", async () => {
  const world = await createWorld()
  const page = world.open()
  const copy = stuck()
  world.proxy.next("register", copy.fault)
  const client = page.session.createToolClient("web")
  client.addTool("old", world.tool())
  await world.pass(1_000)
  client.removeTool("old")
  client.addTool("new", world.tool())
  world.proxy.next("ping", refuse(404))
  await world.pass(40_000)
  expect(world.proxy.of("register")).toHaveLength(3)
  await copy.deliver()
  await world.pass(MINUTE)
  expect(await world.toolNames()).toEqual(["client__web__new"])
})

test("Row 7. A copy of an update comes after the next one: the newest tool set stays.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { a: () => "" })
  const copy = stuck()
  world.proxy.next("update", copy.fault)
  client.addTool("b", world.tool())
  await world.quiet()
  client.removeTool("a")
  await world.pass(MINUTE)
  await copy.deliver()
  await world.pass(MINUTE)
  expect(await world.toolNames()).toEqual(["client__web__b"])
})

test.each(LOSSES)("Row 13. An ack %s: the tool runs once, and its answer is taken.", async (_words, fault) => {
  const world = await createWorld()
  const page = world.open()
  await page.serving("web", { add: () => new Promise((resolve) => world.machine.setTimeout(() => resolve("done"), 25_000)) })
  world.proxy.next("ack", fault)
  const call = world.call("client__web__add")
  await world.pass(30_000)
  expect(call.settled).toMatchObject({ text: "done", is_error: false })
  expect(world.executed).toHaveLength(1)
})

test.each<[string, Fault]>([
  ...LOSSES,
  ["is answered 500", refuse(500)],
  ["is answered 503 with Retry-After", refuse(503, { retryAfter: "3" })],
  ["is answered 502 by a proxy's page", answerHtml(502)],
  ["is answered 200 by a login page", answerHtml(200)],
  ["is answered 408", refuse(408)],
  ["is answered 429", refuse(429)],
])("Row 13. An answer %s: it is sent again until it is taken, under the same call id.", async (_words, fault) => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  world.proxy.next("answer", fault, fault)
  const call = world.call("client__web__add")
  await world.pass(2 * MINUTE)
  expect(call.settled).toMatchObject({ text: "done", is_error: false })
  expect(client.state.calls[0]?.phase).toBe("answered")
  expect(new Set(world.proxy.of("answer").map(({ body }) => body?.["call_id"])).size).toBe(1)
  const count = world.proxy.of("answer").length
  await world.pass(5 * MINUTE)
  expect(world.proxy.of("answer")).toHaveLength(count)
})

test.each<[string, "register" | "update" | "ping" | "ack"]>([
  ["A registration", "register"],
  ["An update", "update"],
  ["A ping", "ping"],
  ["An ack", "ack"],
])("Row 17. %s is answered 200 by a login page: nothing is taken for done, and it is sent again.", async (_words, kind) => {
  const world = await createWorld()
  const page = world.open()
  const lift = world.proxy.always([kind], answerHtml(200))
  const client = page.session.createToolClient("web")
  client.addTool("add", world.tool(() => new Promise((resolve) => world.machine.setTimeout(() => resolve("done"), 30_000))))
  await world.quiet()
  client.addTool("more", world.tool())
  const early = kind === "register" ? undefined : world.call("client__web__add")
  await world.pass(40_000)
  expect(page.errors.length).toBeGreaterThan(0)
  lift()
  await world.pass(40_000)
  expect(client.state.tools).toEqual(["add", "more"])
  expect(await world.toolNames()).toEqual(["client__web__add", "client__web__more"])
  const late = world.call("client__web__add")
  await world.pass(40_000)
  for (const call of [early, late]) if (call) expect(call.settled).toMatchObject({ text: "done" })
})

test.each([409, 410])("Row 13. An answer is told %i, already settled or gone: nothing is lost, and nothing is sent without end.", async (status) => {
  const world = await createWorld()
  const page = world.open()
  await page.serving()
  world.proxy.next("answer", refuse(status, { code: status === 409 ? "call_settled" : "tool_client_not_found" }))
  const call = world.call("client__web__add")
  await world.pass(6 * MINUTE)
  // 409 is the last word; after 410 it registers again and answers by its new id.
  expect(call.settled).toBeDefined()
  expect(world.proxy.of("answer")).toHaveLength(status === 409 ? 1 : 2)
})

test("Row 13. Nobody takes the answer until its deadline: the call is failed here, and settled with an error there.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  const lift = world.proxy.always(["answer"], refuse(503))
  const call = world.call("client__web__add")
  await world.pass(4 * MINUTE)
  expect(client.state.calls[0]?.phase).toBe("running")
  await world.pass(2 * MINUTE)
  expect(client.state.calls[0]).toMatchObject({ phase: "failed", answer: { text: "done" } })
  expect(call.settled).toMatchObject({ is_error: true })
  lift()
  const count = world.proxy.of("answer").length
  // 0.25 s, 0.5 s, … 15 s: about thirty in five minutes.
  expect(count).toBeLessThan(40)
  await world.pass(5 * MINUTE)
  expect(world.proxy.of("answer")).toHaveLength(count)
})

test("Row 13. The answer is lost, and the call comes again: the recorded answer is sent again, and nothing runs.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving()
  const lift = world.proxy.always(["answer"], refuse(400))
  const call = world.call("client__web__add")
  await world.pass(1_000)
  expect(client.state.calls[0]?.phase).toBe("failed")
  lift()
  world.proxy.streams[0]?.cut()
  await world.pass(2_000)
  expect(call.settled).toMatchObject({ text: "done" })
  expect(world.executed).toHaveLength(1)
})
