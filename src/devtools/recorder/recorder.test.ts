import { afterEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { createTestSession, type TestSession } from "../../testing/createTestSession.ts"
import { SETTLED_CALLS_KEPT } from "../../toolClient/calls.ts"
import { createRecorder, type Recorder } from "./recorder.ts"

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** Takes its snapshots when it is asked to. */
function record(session: TestSession): Recorder {
  const recorder = createRecorder(session, () => {})
  stops.push(recorder.start())
  return recorder
}

const quiet = { onError: () => {} }

const whys = (recorder: Recorder, type: string): string[] => {
  recorder.flush()
  return recorder.state.requests.filter((request) => request.type === type).map(({ why }) => why)
}

function page(session: TestSession) {
  const client = session.createToolClient("web")
  client.addTool("add_todo", { description: "Adds.", schema: z.object({ title: z.string().min(1) }), execute: ({ title }) => `Added ${title}.` })
  return client
}

describe("calls", () => {
  it("have the times of their ack, their run and their answer", async () => {
    const session = createTestSession()
    const recorder = record(session)
    const client = session.createToolClient("web")
    const { clock } = session
    client.addTool("slow", {
      description: "Slow.",
      parameters: { type: "object" },
      execute: () => new Promise<string>((resolve) => clock.setTimeout(() => resolve("done"), 300)),
    })
    await session.settle()
    const begun = clock.now()
    const answer = session.callTool("slow")
    await clock.advance(300)
    await answer
    recorder.flush()
    const [call] = recorder.state.calls
    expect(call).toMatchObject({ tool: "slow", client: "web", copies: 1, ackedAt: begun, answeringAt: begun + 300 })
    expect(call?.record).toMatchObject({ phase: "answered", startedAt: begun, settledAt: begun + 300 })
  })

  it("stay when the tool client has dropped them", async () => {
    const session = createTestSession()
    const recorder = record(session)
    const client = page(session)
    await session.settle()
    for (let count = 0; count < SETTLED_CALLS_KEPT + 10; count++) await session.callTool("add_todo", { title: `${count}` })
    recorder.flush()
    expect(client.state.calls).toHaveLength(SETTLED_CALLS_KEPT)
    expect(recorder.state.calls).toHaveLength(SETTLED_CALLS_KEPT + 10)
  })

  it("that are dispatched again are counted, and are one call", async () => {
    const session = createTestSession()
    const recorder = record(session)
    page(session)
    await session.settle()
    await session.callTool("add_todo", { title: "milk" }, { callId: "c" })
    await session.callTool("add_todo", { title: "milk" }, { callId: "c" })
    recorder.flush()
    expect(recorder.state.calls.map(({ callId, copies }) => [callId, copies])).toEqual([["c", 2]])
  })

  it("that the server has cancelled say why", async () => {
    const session = createTestSession()
    const recorder = record(session)
    session.createToolClient("web").addTool("wait", { description: "Waits.", parameters: { type: "object" }, execute: () => new Promise<string>(() => {}) })
    await session.settle()
    const answer = session.callTool("wait", {}, { callId: "c" }).catch(() => {})
    await session.settle()
    session.cancelCall("c", "the agent was stopped")
    await answer
    recorder.flush()
    expect(recorder.state.calls[0]).toMatchObject({ cancelled: "the agent was stopped", record: { phase: "failed" } })
  })

  it("that were there before the recorder are taken in", async () => {
    const session = createTestSession()
    page(session)
    await session.settle()
    await session.callTool("add_todo", { title: "milk" })
    const recorder = record(session)
    expect(recorder.state.calls.map(({ tool }) => tool)).toEqual(["add_todo"])
    expect(recorder.state.clients[0]?.tools[0]).toMatchObject({ name: "add_todo", status: "live", spec: { description: "Adds." } })
  })
})

describe("a call by hand", () => {
  it("goes through the client's own dispatch, and the server never hears of it", async () => {
    const session = createTestSession()
    const recorder = record(session)
    page(session)
    await session.settle()
    recorder.flush()
    const key = recorder.state.clients[0]?.key ?? -1
    recorder.callByHand(key, "add_todo", { title: "milk" })
    recorder.callByHand(key, "add_todo", { title: "" })
    await session.settle()
    recorder.flush()
    expect(recorder.state.calls.map(({ record: { via, phase, answer } }) => [via, phase, answer?.is_error])).toEqual([
      ["devtools", "answered", false],
      ["devtools", "answered", true],
    ])
    expect(session.requests("ack")).toEqual([])
    expect(session.requests("answer")).toEqual([])
  })

  it("needs no connection", async () => {
    const session = createTestSession({ isOpen: false })
    const recorder = record(session)
    page(session)
    await session.settle()
    recorder.flush()
    recorder.callByHand(recorder.state.clients[0]?.key ?? -1, "add_todo", { title: "milk" })
    await session.settle()
    recorder.flush()
    expect(recorder.state.calls[0]?.record.answer?.text).toBe("Added milk.")
    expect(session.requests()).toEqual([])
  })
})

describe("requests say why", () => {
  it("a set was sent: the first, what changed, and again after a failure", async () => {
    const session = createTestSession({ onError: () => {} })
    const recorder = record(session)
    const client = page(session)
    await session.settle()
    client.addTool("search", { description: "Searches.", parameters: { type: "object" }, execute: () => "ok" })
    client.addTool("add_todo", { description: "Adds one.", schema: z.object({ title: z.string().min(1) }), execute: () => "ok" })
    await session.settle()
    session.failNext("update", 503)
    client.removeTool("search")
    await session.settle()
    await session.clock.advance(10_000)
    expect(whys(recorder, "register")).toEqual(["first registration, with 1 tool"])
    expect(whys(recorder, "update")).toEqual([
      "~ add_todo (description), + search",
      "− search",
      "− search (again, after: Answered 503 (a fault of the test).)",
    ])
  })

  it("a ping was due, or the stream is open again", async () => {
    const session = createTestSession(quiet)
    const recorder = record(session)
    page(session)
    await session.settle()
    await session.clock.advance(30_000)
    session.disconnect()
    session.open()
    await session.settle()
    expect(whys(recorder, "ping")).toEqual(["due: 30 s since the last sign of life", "the stream is open again"])
  })

  it("a client registers again when the server has forgotten it", async () => {
    const session = createTestSession(quiet)
    const recorder = record(session)
    page(session)
    await session.settle()
    session.forgetAll()
    await session.clock.advance(30_000)
    expect(whys(recorder, "register")[1]).toBe("registers again: the server did not know it at the last ping")
  })

  it("a tool says how far it is", async () => {
    const session = createTestSession()
    const recorder = record(session)
    session.createToolClient("web").addTool("count", {
      description: "Counts.",
      parameters: { type: "object" },
      execute: (_, call) => {
        call.progress(1, 2)
        return "done"
      },
    })
    await session.settle()
    await session.callTool("count")
    expect(whys(recorder, "progress")).toEqual(session.registry?.port.progress ? ["count says how far it is"] : [])
  })

  it("a call was acked and answered", async () => {
    const session = createTestSession()
    const recorder = record(session)
    page(session)
    await session.settle()
    await session.callTool("add_todo", { title: "milk" })
    expect([...whys(recorder, "ack"), ...whys(recorder, "answer")]).toEqual(["a call of add_todo came", "add_todo has its answer"])
  })
})

describe("tools", () => {
  it("show who owns them, what was refused last, and what is wrong with a definition", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {})
    const session = createTestSession({ onError: () => {} })
    const recorder = record(session)
    const client = page(session)
    const tool = { description: "Adds.", parameters: { type: "object" }, execute: () => "ok" }
    client.declare({ rank: -1, current: () => tool }, "add_todo")
    client.declare({ rank: 1, current: () => ({ ...tool, description: "" }) }, "broken")
    client.declare({ rank: 1, current: () => ({ ...tool, enabled: false }) }, "off")
    await session.settle()
    await session.callTool("add_todo", { title: "" })
    recorder.flush()
    const tools = recorder.state.clients[0]?.tools ?? []
    expect(tools.map(({ name, status, owners }) => [name, status, owners])).toEqual([
      ["add_todo", "live", 2],
      ["broken", "refused", 1],
      ["off", "disabled", 1],
    ])
    expect(tools[1]?.problem).toContain("description")
    expect(tools[0]?.refusal).toMatchObject({ arguments: { title: "" }, text: expect.stringContaining("- title:") })
  })
})

it("The session's transitions are kept with their errors, and clear() leaves the last", async () => {
  const session = createTestSession(quiet)
  const recorder = record(session)
  session.disconnect()
  session.open()
  recorder.flush()
  expect(recorder.state.statuses.map(({ status }) => status)).toEqual(["open", "reconnecting", "open"])
  recorder.clear()
  expect(recorder.state.statuses.map(({ status }) => status)).toEqual(["open"])
})

it("A recorder that has stopped leaves nothing of itself in the session", async () => {
  const session = createTestSession()
  const { registry } = session
  if (!registry) throw new Error("A test session has a registry.")
  const before = { ...registry, port: { ...registry.port } }
  const stop = createRecorder(session, () => {}).start()
  expect(registry.port.register).not.toBe(before.port.register)
  stop()
  expect({ ...registry, port: { ...registry.port } }).toEqual(before)
})
