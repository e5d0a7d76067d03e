import { expect, test } from "vitest"
import { createSessionServer } from "../../src/server/index.ts"
import { createHarness, SECRET } from "./support/createHarness.ts"
import { aTool, createPage } from "./support/createPage.ts"
import type { EventReader } from "./support/readEvents.ts"

/** Takes what is there, by name. */
async function take(events: EventReader, count: number) {
  const taken = []
  for (let index = 0; index < count; index++) taken.push(await events.next())
  return taken
}
const namesOf = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type)

test("A stream has its first bytes at once.", async () => {
  const { server, sessionId, token } = await createHarness()
  const response = await server.fetch(new Request(`http://server.test/v1/sessions/${sessionId}/events`, { headers: { authorization: `Bearer ${token}` } }))
  const { value } = await response.body!.getReader().read()
  expect(new TextDecoder().decode(value)).toBe(": open\n\n")
})

test("A stream forbids proxies to gather or change it.", async () => {
  const { page } = await createHarness()
  const { headers } = (await page.stream()).response
  expect([headers.get("content-type"), headers.get("cache-control"), headers.get("x-accel-buffering")]).toEqual([
    "text/event-stream",
    "no-cache, no-transform",
    "no",
  ])
})

test("A new stream begins with `session.running` and then every unsettled call, dispatched again.", async () => {
  const { page, server, sessionId, serving, dispatched, settle } = await createHarness()
  const { events, id } = await serving()
  const acked = await dispatched(events)
  await page.ack(id, acked.call.call_id)
  const settled = await dispatched(events)
  await page.answer(id, settled.call.call_id)
  const unacked = await dispatched(events)
  await server.setRunning(sessionId, true)
  const second = await page.stream()
  const [running, ...dispatches] = await take(second, 3)
  expect(running).toMatchObject({ type: "session.running", data: { running: true } })
  expect(dispatches.map(({ data }) => data)).toEqual([acked.call, unacked.call])
  await settle()
  expect(second.waiting).toEqual([])
})

test("The agent's beginning and end of work is told, once each.", async () => {
  const { page, server, sessionId, settle } = await createHarness()
  const events = await page.stream()
  expect(await events.nextOf("session.running")).toEqual({ running: false })
  for (const isRunning of [true, true, false]) await server.setRunning(sessionId, isRunning)
  await settle()
  expect(events.waiting.map(({ data }) => data)).toEqual([{ running: true }, { running: false }])
})

test("A stream that resumes from `Last-Event-ID` gets what it has missed, in order, before `session.running`.", async () => {
  const { page, server, sessionId, serving } = await createHarness()
  const { events, id } = await serving()
  await server.setRunning(sessionId, true)
  const { id: lastId } = await events.next()
  await events.cancel()
  await page.update(id, 1, [aTool("sub")])
  await server.setRunning(sessionId, false)
  await page.remove(id)
  const resumed = await page.stream(lastId)
  expect(namesOf(await take(resumed, 4))).toEqual(["tool_client.updated", "session.running", "tool_client.deleted", "session.running"])
})

test("A stream whose `Last-Event-ID` the server cannot resume from begins with `resync`.", async () => {
  const { page, serving, sessionId, token, clock } = await createHarness({ limits: { maxLoggedEvents: 3 } })
  const { events, id } = await serving()
  await page.update(id, 1, [])
  const { id: lastId } = await events.next()
  for (let revision = 2; revision <= 4; revision++) await page.update(id, revision, [])
  expect(namesOf(await take(await page.stream(lastId), 4))).not.toContain("resync")
  await page.update(id, 5, [])
  for (const unknown of [lastId, "nonsense", "", `${lastId}9`]) {
    expect(namesOf(await take(await page.stream(unknown), 2))).toEqual(["resync", "session.running"])
  }
  const restarted = createSessionServer({ secret: SECRET, clock })
  const elsewhere = createPage({ fetch: restarted.fetch, sessionId, token })
  expect(namesOf(await take(await elsewhere.stream(lastId), 2))).toEqual(["resync", "session.running"])
})

test("Every event has an id, and a stream may be resumed from each of them.", async () => {
  const { page, serving, dispatched, clock } = await createHarness()
  const { events } = await serving()
  await dispatched(events)
  const second = await page.stream("nonsense")
  await clock.advance(15_000)
  const seen = await take(second, 5)
  expect(namesOf(seen)).toEqual(["resync", "session.running", "tool_call.dispatched", "tool_call.dispatched", "keep_alive"])
  for (const { id } of seen) {
    expect(id).not.toBe("")
    expect(namesOf(await take(await page.stream(id), 2))).toEqual(["session.running", "tool_call.dispatched"])
  }
})

test("A dispatch that is sent again says the time that is left now.", async () => {
  const { page, clock, serving, dispatched } = await createHarness()
  const { events } = await serving({ lifetime: { type: "never" } })
  const { call } = await dispatched(events)
  await clock.advance(10_000)
  expect(await events.nextOf("tool_call.dispatched")).toEqual({ ...call, deadline_ms: 290_000 })
  await clock.advance(2_000)
  const second = await page.stream()
  expect(await second.nextOf("tool_call.dispatched")).toEqual({ ...call, deadline_ms: 288_000 })
})

test("A call that is settled already is not dispatched to a stream that resumes.", async () => {
  const { page, serving, dispatched } = await createHarness()
  const { events, id } = await serving()
  await page.update(id, 1, [aTool("add")])
  const { id: before } = await events.next()
  const { call } = await dispatched(events)
  await page.remove(id)
  expect(namesOf(await take(await page.stream(before), 3))).toEqual(["tool_client.deleted", "tool_call.settled", "session.running"])
  expect((await page.stream(before)).waiting.some(({ data }) => "call_id" in data && data.call_id === call.call_id)).toBe(false)
})

test("A dispatch that is not acked in 10 seconds is sent again.", async () => {
  const { page, clock, serving, dispatched } = await createHarness()
  const { events, id } = await serving({ lifetime: { type: "never" } })
  const { call } = await dispatched(events)
  for (let copy = 0; copy < 3; copy++) {
    await clock.advance(9_999)
    expect(events.waiting.some(({ type }) => type === "tool_call.dispatched")).toBe(false)
    await clock.advance(1)
    expect((await events.nextOf("tool_call.dispatched")).call_id).toBe(call.call_id)
  }
  await page.ack(id, call.call_id)
  await clock.advance(60_000)
  expect(events.waiting.some(({ type }) => type === "tool_call.dispatched")).toBe(false)
})

test("A `keep_alive` event comes every 15 seconds.", async () => {
  const { page, clock } = await createHarness()
  const events = await page.stream()
  await events.nextOf("session.running")
  await clock.advance(14_999)
  expect(events.waiting).toEqual([])
  await clock.advance(1)
  expect(events.waiting.map(({ type, data }) => [type, data])).toEqual([["keep_alive", {}]])
  await clock.advance(45_000)
  expect(events.waiting).toHaveLength(4)
})

test("All streams of a session get all its events.", async () => {
  const { page, serving, dispatched } = await createHarness()
  const second = await page.stream()
  await second.nextOf("session.running")
  const { events, id } = await serving()
  const { call } = await dispatched(events)
  await page.answer(id, call.call_id)
  await events.nextOf("tool_call.settled")
  expect(namesOf(await take(second, 3))).toEqual(["tool_client.registered", "tool_call.dispatched", "tool_call.settled"])
})

test("A stream gets no event of another session.", async () => {
  const { server, pageOf, page, settle } = await createHarness()
  const events = await page.stream()
  await events.nextOf("session.running")
  const { id: sessionId, token } = await server.createSession()
  await pageOf({ sessionId, token }).register()
  await server.setRunning(sessionId, true)
  await settle()
  expect(events.waiting).toEqual([])
})

/** A stream that is opened and not read from. */
const unread = async ({ server, sessionId, token }: Awaited<ReturnType<typeof createHarness>>) => {
  const response = await server.fetch(new Request(`http://server.test/v1/sessions/${sessionId}/events`, { headers: { authorization: `Bearer ${token}` } }))
  return response.body!.getReader()
}

async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<{ bytes: number; error: unknown }> {
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { bytes, error: undefined }
      bytes += value.byteLength
    }
  } catch (error) {
    return { bytes, error }
  }
}

test("A stream whose reader does not read is closed instead of being queued for without end.", async () => {
  const harness = await createHarness({ limits: { maxStreamQueueBytes: 2_000 } })
  const { clock, serving, server, sessionId } = harness
  const { events } = await serving({ lifetime: { type: "never" } })
  const reader = await unread(harness)
  for (let count = 0; count < 20; count++) void server.callTool(sessionId, "client__web__add", { text: "x".repeat(1_000) }).catch(() => {})
  for (let count = 0; count < 20; count++) await events.nextOf("tool_call.dispatched")
  await clock.advance(60_000)
  const { bytes, error } = await readToEnd(reader)
  expect(error).toBeInstanceOf(Error)
  expect(bytes).toBeLessThan(4_000)
  await server.close()
})

test("A stream that begins with many calls queues no more of them than its reader takes.", async () => {
  const harness = await createHarness({ limits: { maxStreamQueueBytes: 2_000 } })
  const { clock, serving, server, sessionId } = harness
  const { events } = await serving({ lifetime: { type: "never" } })
  for (let count = 0; count < 20; count++) void server.callTool(sessionId, "client__web__add", { text: "x".repeat(1_000) }).catch(() => {})
  for (let count = 0; count < 20; count++) await events.nextOf("tool_call.dispatched")
  const reader = await unread(harness)
  await clock.advance(5_000)
  // What waited in the queue still says the time of the beginning; what was not queued is written as its turn comes.
  let text = ""
  while (text.split("deadline_ms").length <= 20) text += new TextDecoder().decode((await reader.read()).value)
  const deadlines = [...text.matchAll(/"deadline_ms":(\d+)/g)].map((match) => Number(match[1]))
  expect(deadlines.filter((ms) => ms === 300_000).length).toBeLessThan(4)
  expect(deadlines.filter((ms) => ms === 295_000).length).toBeGreaterThan(16)
  await server.close()
})

test("A stream that lags sends a dispatch only where it still makes sense.", async () => {
  const harness = await createHarness({ limits: { maxStreamQueueBytes: 10 } })
  const { page, server, sessionId, settle, agent } = harness
  await page.register()
  const reader = await unread(harness)
  await settle()
  const call = async (): Promise<string> => (await agent.send<{ call_id: string }>("POST", "/tool-calls?wait=0", { tool: "client__web__add" })).body.call_id
  const [moved, cancelled] = [await call(), await call()]
  await agent.send("POST", `/tool-calls/${cancelled}/cancel`)
  const { body: successor } = await page.register({ load_id: "load-2" })
  await server.setRunning(sessionId, true)
  let text = ""
  while (!text.includes('{"running":true}')) text += new TextDecoder().decode((await reader.read()).value)
  const dispatches = [...text.matchAll(/^event: tool_call.dispatched\ndata: (.*)$/gm)].map((match) => JSON.parse(match[1] ?? "") as unknown)
  expect(dispatches).toEqual([expect.objectContaining({ call_id: moved, client_id: successor.id })])
})

test("A stream whose reader falls behind the log is closed, so that it resumes.", async () => {
  const harness = await createHarness({ limits: { maxStreamQueueBytes: 100, maxLoggedEvents: 5 } })
  const { server, sessionId, settle } = harness
  const reader = await unread(harness)
  await settle()
  for (let count = 0; count < 10; count++) await server.setRunning(sessionId, count % 2 === 0)
  expect((await readToEnd(reader)).error).toMatchObject({ message: expect.stringContaining("fallen behind") })
})

test("A reader that is slow but reads gets every event once, in order.", async () => {
  const harness = await createHarness({ limits: { maxStreamQueueBytes: 100 } })
  const { page, server, sessionId, settle } = harness
  const reader = await unread(harness)
  await settle()
  const { body: client } = await page.register()
  for (let revision = 1; revision <= 50; revision++) {
    await page.update(client.id, revision, [])
    if (revision === 25) await server.setRunning(sessionId, true)
  }
  let text = ""
  const count = (name: string): number => text.split(`event: ${name}`).length - 1
  while (count("tool_client.updated") < 50) text += new TextDecoder().decode((await reader.read()).value)
  expect([count("tool_client.updated"), count("tool_client.registered"), count("session.running")]).toEqual([50, 1, 2])
  const ids = [...text.matchAll(/^id: \S+-(\d+)$/gm)].map((match) => Number(match[1]))
  expect(ids).toEqual([...ids].sort((a, b) => a - b))
  expect(new Set(ids).size).toBe(ids.length)
})

test("A stream ends at once when the server closes.", async () => {
  const { page, server, clock } = await createHarness()
  const streams = [await page.stream(), await page.stream()]
  await server.close()
  for (const stream of streams) expect(await stream.ended).toBeUndefined()
  expect(clock.pending).toBe(0)
})

test("A stream that its reader cancels or its request aborts leaves nothing behind.", async () => {
  const { page, clock, server, sessionId } = await createHarness({ limits: { maxStreams: 2 } })
  const before = clock.pending
  const controller = new AbortController()
  const [first, second] = [await page.stream(), await page.stream(undefined, controller.signal)]
  expect(clock.pending).toBe(before + 2)
  await first.cancel()
  controller.abort()
  await second.ended
  expect(clock.pending).toBe(before)
  await server.setRunning(sessionId, true)
  await page.stream()
  await page.stream()
})
