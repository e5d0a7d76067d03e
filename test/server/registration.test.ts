import { expect, test } from "vitest"
import { DELETED_MEMORY_MS, MAX_DELETED_LOADS } from "../../src/server/serverLimits.ts"
import type { ErrorBody, RegisterRequest } from "../../src/wire/messages.ts"
import { aTool, type Answered } from "./support/createPage.ts"
import { createHarness } from "./support/createHarness.ts"

const codeOf = ({ status, body }: Answered): [number, string] => [status, (body as ErrorBody).error.code]
/** Another tab of the same application. */
const tab = (number: number, more: Partial<RegisterRequest> = {}): Partial<RegisterRequest> => ({
  instance_id: `tab-${number}`,
  load_id: `load-${number}`,
  ...more,
})

test("A registration is answered 201 with the client's id and the name that the server gave it.", async () => {
  const { page, toolNames } = await createHarness()
  const { status, body } = await page.register({ tools: [aTool("add"), aTool("sub")] })
  expect([status, body]).toEqual([201, { id: expect.any(String), name: "web" }])
  expect(await toolNames()).toEqual(["client__web__add", "client__web__sub"])
})

test("A lifetime of less than a second, of more than a day, or of no number is refused.", async () => {
  const { page } = await createHarness()
  for (const seconds of [0, -1, 0.001, 86_401, 10 ** 8, Number.NaN, Infinity, "60"]) {
    const lifetime = { type: "ttl", data: { seconds } } as RegisterRequest["lifetime"]
    expect(codeOf(await page.register({ lifetime }))).toEqual([400, "invalid_request"])
  }
  for (const seconds of [1, 86_400]) expect((await page.register({ lifetime: { type: "ttl", data: { seconds } } })).status).toBe(201)
})

test("Two tools of one name in one set are refused.", async () => {
  const { page } = await createHarness()
  const { body } = await page.register({ tools: [aTool("add"), aTool("sub"), aTool("add")] })
  expect((body as unknown as ErrorBody).error.message).toBe('tools[2].name: "add" stands twice')
})

test("A client name with `__`, or with `_` at its end, is refused.", async () => {
  const { page } = await createHarness()
  for (const name of ["a__b", "__a", "a_", "_", "a__"]) expect((await page.register({ name })).status).toBe(400)
  for (const name of ["_a", "a_b", "a-", "9"]) expect((await page.register(tab(Math.random(), { name }))).status).toBe(201)
})

test("A second client that asks for a name in use gets the first of `web_2`, `web_3`, … that is free.", async () => {
  const { page, toolNames } = await createHarness()
  await page.register(tab(1))
  const second = await page.register(tab(2))
  expect([second.body.name, (await page.register(tab(3))).body.name]).toEqual(["web_2", "web_3"])
  expect(await toolNames()).toEqual(["client__web__add", "client__web_2__add", "client__web_3__add"])
  await page.remove(second.body.id)
  expect((await page.register(tab(4))).body.name).toBe("web_2")
})

test("A suffix never yields a name in use.", async () => {
  const { page } = await createHarness()
  await page.register(tab(1, { name: "web_2" }))
  await page.register(tab(2))
  expect((await page.register(tab(3))).body.name).toBe("web_3")
  expect((await page.register(tab(4, { name: "web_2" }))).body.name).toBe("web_2_2")
})

test("A tool whose whole name is longer than 64 characters, with the suffix that the server gave, is refused with 422 and named.", async () => {
  const { page, toolNames } = await createHarness()
  // client__web__ has 13 characters.
  const longest = aTool("t".repeat(51))
  const first = await page.register(tab(1, { tools: [longest] }))
  expect(first.status).toBe(201)
  const second = await page.register(tab(2, { tools: [aTool("ok"), longest] }))
  expect(codeOf(second)).toEqual([422, "tool_name_too_long"])
  expect((second.body as unknown as ErrorBody).error.message).toContain(`"client__web_2__${longest.name}" (66)`)
  expect(codeOf(await page.update(first.body.id, 1, [aTool("t".repeat(52))]))).toEqual([422, "tool_name_too_long"])
  expect(await toolNames()).toEqual([`client__web__${longest.name}`])
})

test("A tool may be called `constructor` or `__proto__`.", async () => {
  const { serving, dispatched, toolNames } = await createHarness()
  const names = ["constructor", "__proto__", "toString", "_under"]
  const { events } = await serving({ tools: names.map((name) => aTool(name)) })
  expect(await toolNames()).toEqual(names.map((name) => `client__web__${name}`))
  for (const name of names) expect((await dispatched(events, `client__web__${name}`)).call.tool).toBe(name)
})

test("The same instance and load again is a retry: the same id and name, with the newest tools.", async () => {
  const { page, toolNames } = await createHarness()
  const first = await page.register()
  await page.update(first.body.id, 3, [aTool("sub")])
  const again = await page.register({ tools: [aTool("mul")] })
  expect([again.status, again.body]).toEqual([201, first.body])
  expect(await toolNames()).toEqual(["client__web__mul"])
  // Revisions begin again.
  await page.update(first.body.id, 1, [aTool("div")])
  expect(await toolNames()).toEqual(["client__web__div"])
})

test("A retry that names an older revision than the last leaves the tools as they are.", async () => {
  const { page, toolNames } = await createHarness()
  const { body: client } = await page.register({ revision: 0 })
  await page.update(client.id, 1, [aTool("sub")])
  expect((await page.register({ revision: 0 })).body).toEqual(client)
  expect(await toolNames()).toEqual(["client__web__sub"])
  await page.register({ revision: 2, tools: [aTool("mul")] })
  await page.update(client.id, 1, [aTool("sub")])
  expect(await toolNames()).toEqual(["client__web__mul"])
})

test("The same instance with a new load supersedes: a new id under the same name, and revisions begin again.", async () => {
  const { page, serving, toolNames } = await createHarness()
  await page.register(tab(1))
  const { events, ...old } = await serving(tab(2))
  await page.update(old.id, 7, [aTool("sub")])
  const { body: successor } = await page.register(tab(2, { load_id: "after the reload" }))
  expect(successor.name).toBe("web_2")
  expect(successor.id).not.toBe(old.id)
  expect(await events.nextOf("tool_client.deleted")).toEqual({ client_id: old.id, name: "web_2" })
  expect(await events.nextOf("tool_client.registered")).toEqual({ client_id: successor.id, name: "web_2" })
  await page.update(successor.id, 1, [aTool("mul")])
  expect(await toolNames()).toEqual(["client__web__add", "client__web_2__mul"])
  expect((await page.ping(old.id)).status).toBe(404)
})

test("An instance that comes back under another name gets that name.", async () => {
  const { page } = await createHarness()
  await page.register(tab(1))
  expect((await page.register(tab(1, { load_id: "l2", name: "shop" }))).body.name).toBe("shop")
  expect((await page.register(tab(2))).body.name).toBe("web")
})

test("The acked calls of a superseded client are settled with an error which says that the page went away and the tool may have run.", async () => {
  const { page, serving, dispatched } = await createHarness()
  const { events, id } = await serving()
  const { outcome, call } = await dispatched(events)
  await page.ack(id, call.call_id)
  await page.register({ load_id: "load-2" })
  expect(await outcome).toEqual({ call_id: call.call_id, is_error: true, text: expect.stringMatching(/went away.*may have run/s) })
  expect((await events.nextOf("tool_call.settled")).reason).toBe("client_superseded")
})

test("The never-acked calls of a superseded client are dispatched again, to the new one.", async () => {
  const { page, serving, dispatched, clock } = await createHarness()
  const { events } = await serving()
  const { outcome, call } = await dispatched(events, "client__web__add", { a: 1 })
  await clock.advance(1_000)
  const { body: successor } = await page.register({ load_id: "load-2" })
  const again = await events.nextOf("tool_call.dispatched")
  expect(again).toEqual({ ...call, client_id: successor.id, deadline_ms: call.deadline_ms - 1_000 })
  // Its ten seconds begin anew.
  await clock.advance(9_999)
  expect(events.waiting.some(({ type }) => type === "tool_call.dispatched")).toBe(false)
  await clock.advance(1)
  expect((await events.nextOf("tool_call.dispatched")).call_id).toBe(call.call_id)
  expect((await page.answer(successor.id, call.call_id)).status).toBe(204)
  expect((await outcome).text).toBe("done")
})

test("A call belongs to the instance and load that it was dispatched to, whatever id the client has.", async () => {
  const { page, serving, dispatched, settle } = await createHarness()
  const { events, id } = await serving()
  const { outcome, call } = await dispatched(events)
  // Another load of another tab, even under the name that the call was for, does not own it.
  const { body: other } = await page.register(tab(2))
  expect(codeOf(await page.answer(other.id, call.call_id))).toEqual([403, "not_your_call"])
  await page.ack(other.id, call.call_id)
  // The same pair that comes back from suspension does.
  await page.ping(id, { suspended: true })
  const { body: back } = await page.register()
  await settle()
  expect((await page.answer(back.id, call.call_id)).status).toBe(204)
  expect((await outcome).is_error).toBe(false)
})

test("An update replaces the whole set of tools at once.", async () => {
  const { page, serving, server, sessionId } = await createHarness()
  const { events, id } = await serving({ tools: [aTool("add"), aTool("sub")] })
  const tools = [aTool("sub", { description: "New." }), aTool("mul")]
  expect((await page.update(id, 1, tools)).status).toBe(204)
  expect(await server.tools(sessionId)).toEqual(tools.map((tool) => ({ ...tool, name: `client__web__${tool.name}` })))
  expect(await events.nextOf("tool_client.updated")).toEqual({ client_id: id, name: "web" })
})

test("An update with an older revision than the last is answered 204 and ignored.", async () => {
  const { page, serving, toolNames } = await createHarness()
  const { id } = await serving()
  await page.update(id, 2, [aTool("new")])
  expect((await page.update(id, 1, [aTool("old")])).status).toBe(204)
  expect(await toolNames()).toEqual(["client__web__new"])
})

test("A refused update leaves the set as it was.", async () => {
  const { page, serving, toolNames } = await createHarness()
  const { id } = await serving()
  expect((await page.update(id, 1, [aTool("good"), aTool("b d")])).status).toBe(400)
  expect(await toolNames()).toEqual(["client__web__add"])
})

test("A registration that was held up on its way until after its client's DELETE is answered 409 `tool_client_deleted`, for five minutes.", async () => {
  const { page, clock, toolNames } = await createHarness()
  const { body: client } = await page.register()
  await page.remove(client.id)
  expect(codeOf(await page.register())).toEqual([409, "tool_client_deleted"])
  expect(await toolNames()).toEqual([])
  // Another load of the same instance is another client, and so is another instance.
  expect((await page.register({ load_id: "l2" })).status).toBe(201)
  expect((await page.register({ instance_id: "other" })).status).toBe(201)
  expect(codeOf(await page.register())).toEqual([409, "tool_client_deleted"])
  await clock.advance(DELETED_MEMORY_MS)
  expect((await page.register()).status).toBe(201)
})

test("Of the loads that were deleted a session remembers the newest, and no more than a limit.", async () => {
  const { page } = await createHarness()
  const deleted = async (load_id: string) => page.remove((await page.register({ load_id })).body.id)
  for (let load = 0; load <= MAX_DELETED_LOADS; load++) await deleted(`l${load}`)
  expect((await page.register({ load_id: "l1" })).status).toBe(409)
  expect((await page.register({ load_id: `l${MAX_DELETED_LOADS}` })).status).toBe(409)
  expect((await page.register({ load_id: "l0" })).status).toBe(201)
})
