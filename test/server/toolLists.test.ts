import { expect, test } from "vitest"
import type { ModelTool } from "../../src/server/index.ts"
import { API_KEY, createHarness } from "./support/createHarness.ts"
import { aTool } from "./support/createPage.ts"

const namesOf = (tools: readonly ModelTool[]): string[] => tools.map(({ name }) => name)

test("The list of tools has an `ETag`; asked for with it as `If-None-Match`, it comes once it is another, or 304 when `wait` passes first.", async () => {
  const { server, clock, page, pageOf, agent, settle } = await createHarness()
  const { body: client } = await page.register({ lifetime: { type: "never" } })
  const first = await agent.send<ModelTool[]>("GET", "/tools")
  const etag = first.headers.get("etag") ?? ""
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
  const knowing = pageOf({ token: API_KEY, headers: { "if-none-match": etag } })

  expect(await knowing.send("GET", "/tools")).toMatchObject({ status: 304, body: undefined })
  const timely = knowing.send<ModelTool[]>("GET", "/tools?wait=20")
  await settle()
  await page.ping(client.id)
  await page.update(client.id, 1, [aTool("add"), aTool("remove")])
  const changed = await timely
  expect([changed.status, namesOf(changed.body)]).toEqual([200, ["client__web__add", "client__web__remove"]])
  expect(changed.headers.get("etag")).not.toBe(etag)

  // The same tools have the same tag, whoever changed them in between, and whatever a proxy made of it.
  await page.update(client.id, 2, [aTool("add")])
  expect((await agent.send("GET", "/tools")).headers.get("etag")).toBe(etag)
  const weak = pageOf({ token: API_KEY, headers: { "if-none-match": `W/${etag}` } })
  let isAnswered = false
  const late = weak.send("GET", "/tools?wait=20").finally(() => (isAnswered = true))
  await clock.advance(19_999)
  expect(isAnswered).toBe(false)
  await clock.advance(1)
  expect((await late).status).toBe(304)

  const closing = knowing.send("GET", "/tools?wait=20")
  await settle()
  await server.close()
  expect((await closing).status).toBe(503)
})

test("Whoever watches a session's tools is told them, and then each change once.", async () => {
  const { server, sessionId, page, settle } = await createHarness()
  const told: string[][] = []
  const stop = server.watchTools(sessionId, (tools) => told.push(namesOf(tools)))
  await settle()
  expect(told).toEqual([[]])

  const { body: client } = await page.register()
  await page.ping(client.id)
  await page.update(client.id, 1, [aTool("add")])
  await settle()
  expect(told).toEqual([[], ["client__web__add"]])
  const call = server.callTool(sessionId, "client__web__add")
  await settle()
  await page.ping(client.id, { suspended: true })
  await settle()
  expect(told.slice(2)).toEqual([[]])

  stop()
  stop()
  await page.register()
  await settle()
  expect(told).toHaveLength(3)
  await server.close()
  await expect(call).rejects.toMatchObject({ code: "server_closed" })
})

test("A session that is not there yet offers nothing, and its tools are told when it comes.", async () => {
  const { server, settle, pageOf } = await createHarness()
  const told: string[][] = []
  server.watchTools("chat-42", (tools) => told.push(namesOf(tools)))
  await settle()
  const { token } = await server.createToken("chat-42")
  await pageOf({ sessionId: "chat-42", token }).register()
  await settle()
  expect(told).toEqual([[], ["client__web__add"]])
})

test("What a listener of tools throws goes to the logger, and the next change is told all the same.", async () => {
  const errors: unknown[] = []
  const { server, sessionId, page, settle } = await createHarness({ logger: { warn() {}, error: (_message, error) => errors.push(error) } })
  let told = 0
  server.watchTools(sessionId, () => {
    told++
    throw new Error(`told ${told}`)
  })
  await settle()
  await page.register()
  await settle()
  expect(errors).toEqual([new Error("told 1"), new Error("told 2")])
  await server.close()
  server.watchTools(sessionId, () => told++)
  await settle()
  expect(told).toBe(2)
})
