import { beforeEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import type { AnyTool } from "../tool/tool.ts"
import { pageTool } from "../tool/tool.ts"
import { SessionError } from "../wire/sessionError.ts"
import { createTestSession, type TestSession } from "./createTestSession.ts"

const add: AnyTool = pageTool({
  description: "Adds.",
  schema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})

const onError = vi.fn()
let session: TestSession
beforeEach(() => {
  onError.mockReset()
  session = createTestSession({ onError })
})

/** A client that is registered and offers `add`. */
async function offer(name = "web", tool = add) {
  const client = session.createToolClient(name)
  client.addTool("add", tool as never)
  await client.ready
  return client
}

describe("a test session", () => {
  it("is open, under the id it is given", () => {
    expect(session.state).toEqual({ id: "test", status: "open", error: undefined, isRunning: false })
    expect(createTestSession({ id: "other" }).state.id).toBe("other")
  })

  it("is what its session client gives, whatever id is asked for", () => {
    expect(session.client.open("a")).toBe(session)
    expect(session.client.share("b").session).toBe(session)
  })

  it("begins connecting where it is told so, and clients register when it opens", async () => {
    session = createTestSession({ isOpen: false, onError })
    const client = session.createToolClient("web")
    await session.settle()
    expect(session.state.status).toBe("connecting")
    expect(session.requests()).toEqual([])
    session.open()
    await client.ready
    expect(client.state).toMatchObject({ status: "serving", name: "web" })
  })

  it("loses its stream and finds it again, by retry too", async () => {
    await offer()
    const seen: string[] = []
    session.subscribe(({ status, isRunning }) => seen.push(`${status} ${isRunning}`))
    session.setRunning(true)
    session.disconnect()
    session.setRunning(true)
    session.retry()
    session.retry()
    expect(seen).toEqual(["open true", "reconnecting false", "open false"])
  })

  it("deletes its clients when it is closed, and takes no more", async () => {
    const client = await offer()
    await session.close()
    expect(client.state.status).toBe("left")
    expect(session.state.status).toBe("closed")
    expect(() => session.createToolClient("web")).toThrow(SessionError)
    expect(() => session.shareToolClient("web")).toThrow(/closed/)
    expect(session.published()).toEqual([])
  })
})

describe("its requests", () => {
  it("are listed in order, all or of one type", async () => {
    const client = await offer()
    client.addTool("more", add as never)
    await session.settle()
    await session.callTool("add", { a: 1, b: 2 }, { callId: "c1" })
    await session.deleteToolClient(client)
    expect(session.requests()).toEqual([
      { type: "register", client: "web", tools: ["add"] },
      { type: "update", client: "web", tools: ["add", "more"] },
      { type: "ack", client: "web", callId: "c1" },
      { type: "answer", client: "web", callId: "c1" },
      { type: "delete", client: "web" },
    ])
    expect(session.requests("update").map(({ tools }) => tools)).toEqual([["add", "more"]])
  })

  it("fail as often as they are told to", async () => {
    session.failNext("register", 503, 2)
    session.failNext("register", "network")
    const client = session.createToolClient("web")
    await session.clock.advance(60_000)
    expect(client.state.status).toBe("serving")
    expect(session.requests("register")).toHaveLength(4)
    expect(onError.mock.calls.map(([error]) => (error as SessionError).code)).toEqual(["unavailable", "unavailable", "network"])
  })

  it("wait while they are held", async () => {
    const release = session.hold()
    const client = session.createToolClient("web")
    await session.settle()
    expect(session.requests("register")).toHaveLength(1)
    expect(client.state.status).toBe("joining")
    release()
    await session.settle()
    expect(client.state.status).toBe("serving")
  })

  it("are answered by a server that keeps names apart and can forget", async () => {
    await offer()
    const second = await offer()
    expect(second.state.name).toBe("web_2")
    expect(session.published("web_2").map(({ name }) => name)).toEqual(["add"])
    expect(session.published()).toHaveLength(2)
    session.forgetAll()
    expect(session.published()).toEqual([])
    await session.clock.advance(30_000)
    expect(session.published()).toHaveLength(2)
  })
})

describe("callTool", () => {
  it("gives the answer and the phases that the page saw", async () => {
    await offer()
    const answer = await session.callTool("add", { a: 1, b: 2 })
    expect(answer).toEqual({ text: "3", is_error: false, callId: answer.callId, phases: ["acked", "running", "answered"] })
  })

  it("calls without arguments with an empty object, and gives refusals as answers", async () => {
    await offer()
    const answer = await session.callTool("add")
    expect(answer.is_error).toBe(true)
    expect(answer.text).toContain("a")
    expect(answer.phases).toEqual(["acked", "answered"])
  })

  it("runs a call that is dispatched again once, and gives the same answer", async () => {
    const execute = vi.fn(() => "ran")
    await offer("web", pageTool({ description: "Runs.", parameters: {}, execute }))
    const [first, again] = await Promise.all([session.callTool("add", {}, { callId: "c" }), session.callTool("add", {}, { callId: "c" })])
    expect(first.text).toBe("ran")
    expect(again.text).toBe("ran")
    expect(await session.callTool("add", {}, { callId: "c" })).toEqual({ ...first, phases: ["answered"] })
    expect(execute).toHaveBeenCalledTimes(1)
  })

  it("says who there is where the tool has no owner, or several", async () => {
    await offer("web")
    await offer("panel")
    await expect(session.callTool("add")).rejects.toThrow('2 tool clients could take "add". Registered: web (add); panel (add).')
    await expect(session.callTool("sub")).rejects.toThrow('0 tool clients could take "sub".')
    await expect(session.callTool("add", {}, { client: "shop" })).rejects.toThrow('0 tool clients could take "add" of "shop".')
    expect((await session.callTool("add", { a: 1, b: 1 }, { client: "panel" })).text).toBe("2")
  })

  it("says which name to use where it is called by the one that models see", async () => {
    await offer("web")
    await expect(session.callTool("client__web__add")).rejects.toThrow(`Use the tool's own name here: "add"`)
  })

  it("says what hides it where nothing has registered", async () => {
    await expect(session.callTool("add")).rejects.toThrow("Registered: none. What was just rendered or added is published a little later")
    await expect(session.callTool("add")).rejects.toThrow("render what is inside your SessionProvider.")
  })

  it("reaches a tool that its client does not offer, to see the answer that a model gets", async () => {
    await offer()
    const answer = await session.callTool("gone", {}, { client: "web" })
    expect(answer.is_error).toBe(true)
    expect(answer.text).toContain("gone")
  })

  it("rejects with what the page says of a call that got no answer", async () => {
    await offer("web", pageTool({ description: "Hangs.", parameters: {}, execute: () => new Promise<string>(() => {}) }))
    const cancelled = session.callTool("add", {}, { callId: "c" })
    await session.settle()
    session.cancelCall("c", "nobody waits")
    await expect(cancelled).rejects.toThrow("nobody waits")
  })

  it("ends shortly before the deadline that it is given", async () => {
    await offer("web", pageTool({ description: "Hangs.", parameters: {}, execute: () => new Promise<string>(() => {}) }))
    const late = session.callTool("add", {}, { deadlineMs: 60_000 })
    await session.clock.advance(60_000)
    expect(await late).toMatchObject({ is_error: true, text: expect.stringContaining("deadline") as unknown })
  })

  it("says how a tool is published that is called too early", async () => {
    const session = createTestSession()
    session.createToolClient("web").addTool("add", { description: "Adds.", parameters: {}, execute: () => "ok" })
    await expect(session.callTool("add")).rejects.toThrow(/Registered: none.*await session\.settle\(\) first/)
    await session.settle()
    expect((await session.callTool("add")).text).toBe("ok")
    await expect(session.callTool("remove")).rejects.not.toThrow("settle")
  })
})
