import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { aTool, createBench, recordOf } from "../../test/node/client/support/createBench.ts"
import { faults, network, refusal } from "../../test/node/client/support/createServerModel.ts"
import { createDeferred } from "../lib/deferred.ts"
import type { ToolCall } from "../tool/toolCall.ts"
import type { CallRecord } from "./calls.ts"
import { FLUSH_LIMIT_MS } from "./dispatch.ts"
import { ABORT_MARGIN_MS } from "./runningCall.ts"
import { createToolSource } from "./toolSource.ts"

const warned = vi.spyOn(console, "warn").mockImplementation(() => {})
const unhandled: unknown[] = []
const hear = (reason: unknown): void => void unhandled.push(reason)
beforeEach(() => {
  process.on("unhandledRejection", hear)
})
afterEach(() => {
  process.off("unhandledRejection", hear)
  warned.mockClear()
  expect(unhandled.splice(0)).toEqual([])
})

/** A client with one tool, and what comes of calls of it. */
async function serving(execute: (args: never, call: ToolCall) => unknown = () => "done", more: object = {}) {
  const bench = createBench()
  const client = await bench.serving([])
  client.addTool("add", aTool(execute as () => unknown, more))
  await bench.settle()
  const before = bench.server.requests.length
  return {
    ...bench,
    client,
    /** What the call asked of the server so far. */
    sent: () => bench.server.requests.slice(before).map(({ type }) => type),
    record: (callId: string) => recordOf(client, callId),
    /** Calls the tool, and gives what was answered once nothing is under way any more. */
    async answer(args: unknown = {}, tool = "add") {
      const callId = bench.call(client, tool, args)
      await bench.settle()
      return bench.server.answers.get(callId)
    },
  }
}

describe("a call", () => {
  it("is acked before anything else, and answered after its tool ran", async () => {
    const order: string[] = []
    const { call, client, settle, server } = await serving(() => void order.push("execute"))
    server.before = ({ type }) => void order.push(type)
    call(client, "add")
    expect(order).toEqual([])
    await settle()
    expect(order).toEqual(["ack", "execute", "answer"])
  })

  it("goes through its phases: acked, running, answered, each a new snapshot that is never changed", async () => {
    const { call, client, settle } = await serving(() => "three")
    const seen: CallRecord[] = []
    client.subscribe(({ calls }) => {
      const last = calls.at(-1)
      if (last && seen.at(-1) !== last) seen.push(last)
    })
    const callId = call(client, "add", { a: 1 })
    await settle()
    expect(seen.map(({ phase }) => phase)).toEqual(["acked", "running", "answered"])
    expect(seen.map(({ answer }) => answer)).toEqual([undefined, undefined, { text: "three", is_error: false }])
    expect(seen[2]).toMatchObject({ callId, tool: "add", arguments: { a: 1 }, receivedAt: expect.any(Number), startedAt: expect.any(Number), settledAt: expect.any(Number) })
    expect(seen[0]).not.toHaveProperty("startedAt")
  })

  it("tells its tool which call it is, what was sent, and until when", async () => {
    let told: ToolCall | undefined
    const { call, client, clock, settle } = await serving((_args, given) => void (told = given))
    const callId = call(client, "add", { a: 1 }, { deadlineMs: 60_000 })
    await settle()
    expect(told).toMatchObject({ callId, tool: "add", arguments: { a: 1 }, deadline: clock.now() + 60_000 })
    expect(told?.signal.aborted).toBe(false)
  })

  it("is shown with the arguments that were sent, whatever its tool does to its own", async () => {
    let told: ToolCall | undefined
    const { answer, record } = await serving((args: { items: { id: number }[] }, given) => {
      told = given
      args.items[0]!.id = 7
      args.items.push({ id: 8 })
      return args.items.length
    })
    const sent = { items: [{ id: 1 }] }
    expect(await answer(sent)).toEqual({ text: "2", is_error: false })
    expect(record("call1")?.arguments).toEqual({ items: [{ id: 1 }] })
    expect(told?.arguments).toBe(record("call1")?.arguments)
    expect(Object.isFrozen(told?.arguments)).toBe(true)
  })

  it("whose signal's listener throws is answered, and so are the others; the error is told", async () => {
    const listenerError = new Error("a listener's")
    const { call, client, settle, registry, server, errors } = await serving(
      (_args, { callId, signal }) =>
        new Promise((resolve) => {
          if (callId === "b") return resolve("b is done")
          signal.addEventListener("abort", () => {
            throw listenerError
          })
        }),
    )
    call(client, "add", {}, { callId: "a" })
    await settle()
    registry.cancelCall("a", "cancelled")
    call(client, "add", {}, { callId: "b" })
    await settle()
    expect(errors).toEqual([listenerError])
    expect(server.answers.get("b")?.text).toBe("b is done")
  })

  it("holds the process until it is answered, and leaves no timer", async () => {
    const gate = createDeferred<string>()
    const { call, client, settle, clock } = await serving(() => gate.promise)
    const before = clock.pending
    call(client, "add")
    await settle()
    expect(clock.holds).toBe(1)
    gate.resolve("done")
    await settle()
    expect(clock.holds).toBe(0)
    expect(clock.pending).toBe(before)
  })

  it("of a tool whose definition has more than it should, or has become unreadable since, is answered", async () => {
    const { answer, client } = await serving(() => "done", { is_error: true, text: "no answer" })
    expect(await answer()).toEqual({ text: "done", is_error: false })
    let definition = aTool(() => "done")
    client.declare(createToolSource(() => definition), "late")
    expect(await answer({}, "late")).toEqual({ text: "done", is_error: false })
    definition = null as never
    expect(await answer({}, "late")).toMatchObject({ is_error: true })
  })

  it("that deletes its own client is acked before the DELETE, so that nobody is told it never ran", async () => {
    const gate = createDeferred<void>()
    const { call, client, clock, registry, server, settle, sent } = await serving(() => registry.delete(client))
    server.before = ({ type }) => (type === "ack" ? gate.promise : undefined)
    call(client, "add")
    await settle()
    expect(sent()).toEqual(["ack"])
    gate.resolve()
    await settle()
    expect(sent()).toEqual(["ack", "delete"])
    expect(client.state.status).toBe("left")
    expect(clock.pending + clock.holds).toBe(0)
  })

  it("whose ack hangs does not hold up the DELETE for long", async () => {
    const { call, client, clock, registry, server, sent } = await serving(() => registry.delete(client))
    server.before = ({ type }) => (type === "ack" ? new Promise(() => {}) : undefined)
    call(client, "add")
    await clock.advance(FLUSH_LIMIT_MS)
    expect(sent()).toEqual(["ack", "delete"])
    expect(client.state.status).toBe("left")
  })

  it("of a tool that is not there is answered with those that are", async () => {
    const { answer, client, settle } = await serving()
    client.addTool("sub", aTool())
    await settle()
    const given = await answer({}, "mul")
    expect(given).toMatchObject({ is_error: true, text: expect.stringMatching(/"mul".*add, sub/) })
    expect(recordOf(client, "call1")).toMatchObject({ phase: "answered" })
  })

  it("where nothing is offered is answered all the same", async () => {
    const bench = createBench()
    const client = await bench.serving([])
    const callId = bench.call(client, "add")
    await bench.settle()
    expect(bench.server.answers.get(callId)).toMatchObject({ is_error: true, text: expect.stringContaining("none") })
  })

  it("of a tool whose binding fails to say what it is now is answered all the same", async () => {
    const bench = createBench()
    const client = await bench.serving([])
    let isBroken = false
    const tool = aTool()
    client.declare(
      createToolSource(() => {
        if (isBroken) throw new Error("of a binding")
        return tool
      }),
      "add",
    )
    await bench.settle()
    isBroken = true
    const callId = bench.call(client, "add")
    await bench.settle()
    expect(bench.server.answers.get(callId)).toMatchObject({ is_error: true, text: expect.stringContaining("of a binding") })
    expect(bench.clock.holds).toBe(0)
  })

  it.each(["constructor", "__proto__", "toString"])("of %s finds no tool that nobody declared", async (name) => {
    const { answer } = await serving()
    expect(await answer({}, name)).toMatchObject({ is_error: true })
  })

  it("of a tool that is switched off is answered with an error, and runs nothing", async () => {
    const execute = vi.fn()
    const { answer } = await serving(execute, { enabled: false })
    expect(await answer()).toMatchObject({ is_error: true, text: expect.stringContaining("switched off") })
    expect(execute).not.toHaveBeenCalled()
  })

  it("that runs while its tool is removed still answers", async () => {
    const gate = createDeferred<string>()
    const { call, client, settle, server } = await serving(() => gate.promise)
    const callId = call(client, "add")
    await settle()
    client.removeTool("add")
    await settle()
    expect(server.tools()).toEqual([])
    gate.resolve("done")
    await settle()
    expect(server.answers.get(callId)).toEqual({ text: "done", is_error: false })
  })

  it("runs the handler that is there when it comes, not the one that was published", async () => {
    const { answer, client } = await serving(() => "old")
    client.addTool("add", aTool(() => "new"))
    expect(await answer()).toEqual({ text: "new", is_error: false })
  })

  it("for an id that the client had before it registered again is still its own", async () => {
    const { call, client, settle, server, open, clock } = await serving()
    server.forget()
    await clock.advance(2_000)
    open()
    await settle()
    expect(client.state.id).toBe("id2")
    const callId = call(client, "add", {}, { clientId: "id1" })
    await settle()
    expect(server.answers.get(callId)?.text).toBe("done")
    expect(server.of("answer").at(-1)?.id).toBe("id2")
  })

  it("after the client has left, or while it leaves, is nobody's", async () => {
    const execute = vi.fn()
    const { call, client, settle, registry, sent } = await serving(execute)
    const gone = registry.delete(client)
    call(client, "add")
    await gone
    call(client, "add")
    await settle()
    expect(sent()).toEqual(["delete"])
    expect(execute).not.toHaveBeenCalled()
  })
})

describe("the arguments of a call", () => {
  it("are the schema's output", async () => {
    const execute = vi.fn(() => "ok")
    const { answer } = await serving(execute, { parameters: undefined, schema: z.object({ n: z.string().transform(Number), s: z.string().default("x") }) })
    await answer({ n: "5" })
    expect(execute).toHaveBeenCalledWith({ n: 5, s: "x" }, expect.anything())
  })

  it("that a schema refuses never reach the tool; the model gets every issue under its path", async () => {
    const execute = vi.fn()
    const { answer } = await serving(execute, {
      parameters: undefined,
      schema: z.object({ user: z.object({ email: z.email() }), tags: z.array(z.string()) }),
    })
    const given = await answer({ user: { email: "x" }, tags: ["a", 5] })
    expect(given?.is_error).toBe(true)
    expect(given?.text).toContain("user.email")
    expect(given?.text).toMatch(/tags(\.1|\[1\])/)
    expect(execute).not.toHaveBeenCalled()
  })

  it("are what `parse` returns, now or later", async () => {
    for (const parse of [() => 5, async () => 5]) {
      const execute = vi.fn(() => "ok")
      const { answer } = await serving(execute, { parse })
      await answer({ a: 1 })
      expect(execute).toHaveBeenCalledWith(5, expect.anything())
    }
  })

  it.each<[string, () => unknown]>([
    ["throws", () => { throw new Error("a must be positive") }],
    ["rejects", () => Promise.reject(new Error("a must be positive"))],
    ["throws no error", () => { throw "a must be positive" }],
  ])("that `parse` %s are refused with its reason, and never reach the tool", async (_how, parse) => {
    const execute = vi.fn()
    const { answer } = await serving(execute, { parse })
    expect(await answer()).toMatchObject({ is_error: true, text: expect.stringContaining("a must be positive") })
    expect(execute).not.toHaveBeenCalled()
  })

  it("without schema and `parse` are what the model sent", async () => {
    const execute = vi.fn(() => "ok")
    const { answer } = await serving(execute)
    for (const args of [{ a: 1 }, null, "text", 5, [1], undefined]) await answer(args)
    expect(execute.mock.calls.map(([args]: unknown[]) => args)).toEqual([{ a: 1 }, null, "text", 5, [1], {}])
  })

  it("may hold __proto__, and a depth of ten thousand: nothing breaks", async () => {
    const { answer } = await serving((args: object) => Object.keys(args))
    expect(await answer(JSON.parse('{"__proto__":{"isAdmin":true}}'))).toEqual({ text: '["__proto__"]', is_error: false })
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`)
    expect(await answer(deep)).toEqual({ text: '["a"]', is_error: false })
    const { answer: answerDeep } = await serving((args) => args)
    expect(await answerDeep(deep)).toMatchObject({ is_error: true, text: expect.stringContaining("deep") })
  })
})

describe("what a tool returns", () => {
  it.each<[string, unknown, string, boolean]>([
    ["a string", "three", "three", false],
    ["an empty string", "", "", false],
    ["an answer", { text: "no", is_error: true }, "no", true],
    ["a good answer", { text: "yes", is_error: false }, "yes", false],
    ["a number", 3, "3", false],
    ["null", null, "null", false],
    ["a list", [1, { a: 2 }], '[1,{"a":2}]', false],
    ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"', false],
  ])("is answered: %s", async (_what, value, text, is_error) => {
    const { answer } = await serving(() => value)
    expect(await answer()).toEqual({ text, is_error })
    const { answer: later } = await serving(async () => value)
    expect(await later()).toEqual({ text, is_error })
  })

  it("nothing is answered by a sentence, and the developer is told", async () => {
    const { answer } = await serving(() => undefined)
    expect(await answer()).toEqual({ text: "The tool ran and returned nothing.", is_error: false })
    expect(String(warned.mock.calls.at(-1)?.[0])).toContain('"add"')
  })

  it("what JSON cannot say is told to the developer, with what to return instead", async () => {
    const { answer } = await serving(() => ({ lines: new Map() }))
    expect((await answer())?.text).not.toContain("[...map]")
    expect(String(warned.mock.calls.at(-1)?.[0])).toMatch(/"add" ran.*lines: Map is not JSON: return \[\.\.\.map\]/)
  })

  it("an error that the tool returned itself is told to no developer", async () => {
    const { answer } = await serving(() => ({ text: "Map is not JSON", is_error: true }))
    expect(await answer()).toEqual({ text: "Map is not JSON", is_error: true })
    expect(warned).not.toHaveBeenCalled()
  })

  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  it.each<[string, unknown, string]>([
    ["a bigint", { sum: 5n }, "sum"],
    ["a cycle", cycle, "self"],
    ["a function", { a: [() => {}] }, "a"],
    ["a map", { m: new Map() }, "m"],
    ["what throws when it is written", { get bad() { throw new Error("mine") } }, "bad"],
  ])("that is no JSON is an error answer that names the path: %s", async (_what, value, path) => {
    const { answer } = await serving(() => value)
    expect(await answer()).toMatchObject({ is_error: true, text: expect.stringContaining(path) })
  })

  it("is cut when it is too long, with a notice", async () => {
    const { answer } = await serving(() => "x".repeat(5_000), { maxResultBytes: 1_000 })
    const given = await answer()
    expect(new TextEncoder().encode(given?.text).length).toBeLessThanOrEqual(1_000)
    expect(given?.text).toMatch(/cut out/)
  })

  it("that is not what its output schema promises is an error answer", async () => {
    const { answer } = await serving(() => ({ sum: "five" }), { output: z.object({ sum: z.number() }) })
    expect(await answer()).toMatchObject({ is_error: true, text: expect.stringContaining("sum") })
  })

  const broken = new Proxy({}, { get: () => { throw new Error("unreadable") } })
  it.each<[string, unknown, string]>([
    ["an error", new Error("The cart is empty."), "The cart is empty."],
    ["a string", "The cart is empty.", "The cart is empty."],
    ["undefined", undefined, "The tool failed"],
    ["null", null, "The tool failed"],
    ["a number", 5, "5"],
    ["a symbol", Symbol("s"), "The tool failed"],
    ["an object", { code: 7 }, "7"],
    ["a function", () => {}, "The tool failed"],
    ["an abort", new DOMException("stopped", "AbortError"), "stopped"],
    ["an error with causes", new Error("outer", { cause: new Error("inner") }), "inner"],
    ["what cannot be read", broken, "The tool failed"],
  ])("or throws is answered: %s", async (_what, thrown, part) => {
    for (const execute of [() => { throw thrown }, () => Promise.reject(thrown)]) {
      const { answer, record, sent } = await serving(execute)
      const given = await answer()
      expect(given).toMatchObject({ is_error: true, text: expect.stringContaining(part) })
      expect(given?.text).not.toMatch(/\bat .*\.ts/)
      expect(record("call1")).toMatchObject({ phase: "answered", answer: { is_error: true } })
      expect(sent()).toEqual(["ack", "answer"])
    }
  })
})

describe("calls that overlap", () => {
  /** A tool whose calls end when the test says so, by their argument. */
  async function gated(concurrency?: string) {
    const gates = new Map<string, ReturnType<typeof createDeferred<string>>>()
    const begun: string[] = []
    const signals = new Map<string, AbortSignal>()
    const made = await serving(
      ({ id }: { id: string }, { signal }) => {
        begun.push(id)
        signals.set(id, signal)
        const gate = createDeferred<string>()
        gates.set(id, gate)
        return gate.promise
      },
      { concurrency },
    )
    const begin = async (id: string): Promise<void> => {
      made.call(made.client, "add", { id }, { callId: id })
      await made.settle()
    }
    const end = async (id: string): Promise<void> => {
      gates.get(id)!.resolve(`${id} done`)
      await made.settle()
    }
    return { ...made, begun, signals, begin, end }
  }

  it("run at the same time by default", async () => {
    const { begin, end, begun, server } = await gated()
    await begin("a")
    await begin("b")
    expect(begun).toEqual(["a", "b"])
    await end("b")
    expect([...server.answers.keys()]).toEqual(["b"])
    await end("a")
    expect([...server.answers.keys()]).toEqual(["b", "a"])
  })

  it("run one after the other when the tool is serial, each acked at once", async () => {
    const { begin, end, begun, sent, record } = await gated("serial")
    await begin("a")
    await begin("b")
    expect(begun).toEqual(["a"])
    expect(sent()).toEqual(["ack", "ack"])
    expect(record("b")?.phase).toBe("acked")
    await end("a")
    expect(begun).toEqual(["a", "b"])
    await end("b")
    expect(record("b")?.phase).toBe("answered")
  })

  it("of a serial tool go on when one of them ignores its signal past its deadline", async () => {
    const { call, client, begun, clock, settle, server } = await gated("serial")
    call(client, "add", { id: "a" }, { callId: "a", deadlineMs: 60_000 })
    call(client, "add", { id: "b" }, { callId: "b", deadlineMs: 300_000 })
    await settle()
    await clock.advance(60_000)
    expect(server.answers.get("a")).toMatchObject({ is_error: true })
    expect(begun).toEqual(["a", "b"])
  })

  it("that wait in line when the client is deleted never run", async () => {
    const { begin, end, begun, registry, client, settle, clock } = await gated("serial")
    await begin("a")
    await begin("b")
    await registry.delete(client)
    await end("a")
    await settle()
    expect(begun).toEqual(["a"])
    expect(clock.pending + clock.holds).toBe(0)
  })

  it("that wait in line when they are cancelled never run", async () => {
    const { begin, end, begun, registry, record } = await gated("serial")
    await begin("a")
    await begin("b")
    registry.cancelCall("b", "cancelled")
    await end("a")
    expect(begun).toEqual(["a"])
    expect(record("b")?.phase).toBe("failed")
  })

  it("abort those before them when only the latest counts, which are answered with that", async () => {
    const { begin, end, begun, signals, server, clock } = await gated("latest")
    await begin("a")
    await begin("b")
    expect(begun).toEqual(["a", "b"])
    expect(signals.get("a")?.aborted).toBe(true)
    expect(signals.get("b")?.aborted).toBe(false)
    await clock.advance(1_000)
    expect(server.answers.get("a")).toMatchObject({ is_error: true, text: expect.stringContaining("newer call") })
    await end("b")
    expect(server.answers.get("b")).toEqual({ text: "b done", is_error: false })
  })
})

describe("a tool's own time limit", () => {
  it("aborts the call, and answers with an error that says so", async () => {
    let signal: AbortSignal | undefined
    const { call, client, settle, clock, server } = await serving((_args, given) => {
      signal = given.signal
      return new Promise(() => {})
    }, { timeout: 5_000 })
    const callId = call(client, "add")
    await settle()
    await clock.advance(4_999)
    expect(signal?.aborted).toBe(false)
    await clock.advance(1)
    expect(signal?.aborted).toBe(true)
    expect(signal?.reason).toMatchObject({ name: "TimeoutError" })
    await clock.advance(1_000)
    expect(server.answers.get(callId)).toMatchObject({ is_error: true, text: expect.stringMatching(/5000 ms.*may have run/) })
  })

  it.each(["returned", "thrown"])("ends when the tool has %s, and does not run on while that is rendered", async (how) => {
    const bench = createBench()
    const client = bench.registry.create("web")
    let signal: AbortSignal | undefined
    const execute = (_args: unknown, call: ToolCall) => {
      signal = call.signal
      if (how === "thrown") throw new Error("in time")
      return "in time"
    }
    const rendered = createDeferred<void>()
    client.declare(createToolSource(() => aTool(execute, { timeout: 500 }), 1, () => rendered.promise), "add")
    await bench.settle()
    const callId = bench.call(client, "add")
    await bench.settle()
    await bench.clock.advance(600)
    rendered.resolve()
    await bench.settle()
    expect(signal?.aborted).toBe(false)
    expect(bench.server.answers.get(callId)?.text).toContain("in time")
  })

  it.each<[heeds: string, thrown: (reason: unknown) => unknown, more: string]>([
    ["throws what it was aborted with", (reason) => reason, ""],
    ["lets fetch throw", () => new DOMException("The operation was aborted.", "AbortError"), ""],
    ["says where it stopped", () => new Error("Stopped after 3 of 9 pages."), " The tool failed: Stopped after 3 of 9 pages."],
    ["returns nothing", () => undefined, ""],
  ])("tells the same of a tool that heeds its signal and %s: not that it failed, but that it may have run; nor a developer that it threw", async (_heeds, thrown, more) => {
    const { call, client, clock, server } = await serving(
      (_args, { signal }) =>
        new Promise<void>((resolve, reject) =>
          signal.addEventListener("abort", () => {
            const error = thrown(signal.reason)
            if (error === undefined) resolve()
            else reject(error)
          }),
        ),
      { timeout: 5_000 },
    )
    const callId = call(client, "add")
    await clock.advance(5_000)
    expect(server.answers.get(callId)).toEqual({
      text: `The call of "add" was aborted: it took longer than the 5000 ms it is given. It may have run in part.${more}`,
      is_error: true,
    })
    expect(warned).not.toHaveBeenCalled()
  })

  it("lets a tool that heeds its signal answer in its own words", async () => {
    const { call, client, clock, server, settle } = await serving(
      (_args, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("half of it is done"))),
      { timeout: 5_000 },
    )
    const callId = call(client, "add")
    await clock.advance(5_000)
    expect(server.answers.get(callId)).toEqual({ text: "half of it is done", is_error: false })
    await settle()
    await clock.advance(2_000)
    expect(server.of("answer").length).toBe(1)
  })

  it("stands still while a person is asked, and the question stands in the record", async () => {
    let given: ToolCall | undefined
    const gate = createDeferred<string>()
    const { call, client, clock, server, record } = await serving((_args, told) => {
      given = told
      return gate.promise
    }, { timeout: 5_000 })
    const callId = call(client, "add")
    await clock.advance(4_000)
    const asked = given!.askPerson("Delete it?")
    expect(record(callId)?.approvals).toMatchObject([{ message: "Delete it?", status: "waiting" }])
    await clock.advance(100_000)
    expect(given!.signal.aborted).toBe(false)
    asked.settle(true, "person")
    asked.settle(false, "code")
    expect(record(callId)?.approvals).toMatchObject([{ status: "approved", by: "person" }])
    await clock.advance(999)
    expect(given!.signal.aborted).toBe(false)
    await clock.advance(1)
    expect(given!.signal.aborted).toBe(true)
    gate.resolve("done")
    await clock.advance(0)
    expect(server.answers.get(callId)?.text).toBe("done")
  })

  it("does not hold back the server's deadline while a person is asked", async () => {
    let given: ToolCall | undefined
    const { call, client, clock, server } = await serving((_args, told) => {
      given = told
      told.askPerson("Delete it?")
      return new Promise(() => {})
    }, { timeout: 5_000 })
    const callId = call(client, "add")
    await clock.advance(300_000)
    expect(given!.signal.aborted).toBe(true)
    expect(server.answers.get(callId)).toMatchObject({ is_error: true })
  })

  it("leaves no timer when the tool is done before", async () => {
    const { answer, clock } = await serving(() => "done", { timeout: 5_000 })
    const before = clock.pending
    await answer()
    expect(clock.pending).toBe(before)
  })
})

describe("how far a call is", () => {
  it("is seen in its record, and nowhere at the server", async () => {
    const gate = createDeferred<string>()
    const { call, client, settle, record, sent } = await serving((_args, { progress }) => {
      progress(1)
      progress(2, 5, "halfway")
      return gate.promise
    })
    const callId = call(client, "add")
    await settle()
    expect(record(callId)?.progress).toEqual({ done: 2, total: 5, message: "halfway" })
    expect(sent()).toEqual(["ack"])
    gate.resolve("done")
    await settle()
  })

  it("is not changed any more once it is settled", async () => {
    let given: ToolCall | undefined
    const { answer, client } = await serving((_args, told) => void (given = told))
    await answer()
    const { calls } = client.state
    given!.progress(1)
    given!.askPerson("Late?").settle(true, "code")
    expect(client.state.calls).toBe(calls)
  })
})

describe("the deadline of a call", () => {
  it("aborts its signal ten seconds before, and a tool that never comes back is answered for", async () => {
    let signal: AbortSignal | undefined
    const { call, client, clock, server, record } = await serving((_args, given) => {
      signal = given.signal
      return new Promise(() => {})
    })
    const callId = call(client, "add")
    await clock.advance(300_000 - ABORT_MARGIN_MS - 1)
    expect(signal?.aborted).toBe(false)
    await clock.advance(1)
    expect(signal?.aborted).toBe(true)
    await clock.advance(ABORT_MARGIN_MS - 1)
    expect(server.answers.get(callId)).toMatchObject({ is_error: true, text: expect.stringContaining("deadline") })
    expect(record(callId)?.phase).toBe("answered")
  })

  it.each([100, 1_000, 5_000, 9_000, 30_000, 300_000])("of %d ms is kept also by a tool that never comes back", async (deadlineMs) => {
    const { call, client, clock, server } = await serving(() => new Promise(() => {}))
    const callId = call(client, "add", {}, { deadlineMs })
    await clock.advance(deadlineMs - 1)
    expect(server.answers.get(callId)).toMatchObject({ is_error: true, text: expect.stringContaining("deadline") })
  })

  it("that has passed when the call comes runs nothing, and answers nothing", async () => {
    const execute = vi.fn()
    const { call, client, clock, server, record } = await serving(execute)
    const callId = call(client, "add", {}, { deadlineMs: 0 })
    await clock.advance(5_000)
    expect(execute).not.toHaveBeenCalled()
    expect(server.answers.size).toBe(0)
    expect(record(callId)?.phase).toBe("failed")
    expect(clock.holds).toBe(0)
  })

  it("that passed while the machine slept aborts the call at the next wake, and nothing is answered", async () => {
    let signal: AbortSignal | undefined
    const { call, client, clock, server, settle, registry, record } = await serving((_args, given) => {
      signal = given.signal
      return new Promise(() => {})
    })
    const callId = call(client, "add")
    await settle()
    clock.jump(8 * 3_600_000)
    registry.forEach((control) => control.woke())
    expect(signal?.aborted).toBe(true)
    await clock.advance(5_000)
    expect(server.of("answer")).toEqual([])
    expect(record(callId)?.phase).toBe("failed")
    expect(clock.holds).toBe(0)
  })
})

describe("the same call again", () => {
  it.each<[string, number]>([
    ["before it was acked", 0],
    ["while it runs", 1],
    ["after it was answered", 2],
  ])("%s runs once, is acked again, and gets the one answer", async (_when, point) => {
    const gate = createDeferred<string>()
    const execute = vi.fn(() => gate.promise)
    const { call, client, settle, server, sent } = await serving(execute)
    if (point === 0) server.before = faults(["ack", network()])
    call(client, "add", {}, { callId: "k" })
    if (point > 0) await settle()
    if (point === 2) {
      gate.resolve("done")
      await settle()
    }
    call(client, "add", {}, { callId: "k" })
    call(client, "add", {}, { callId: "k" })
    await settle()
    gate.resolve("done")
    await settle()
    expect(execute).toHaveBeenCalledTimes(1)
    expect(sent().filter((type) => type === "ack").length).toBe(3)
    expect(server.of("answer").every(({ answer }) => answer.text === "done")).toBe(true)
    expect(server.of("answer").length).toBeGreaterThanOrEqual(1)
    expect(client.state.calls.length).toBe(1)
    expect(client.state.calls[0]?.phase).toBe("answered")
  })

  it("after its answer was forgotten by a restarted server is answered from the record", async () => {
    const execute = vi.fn(() => "done")
    const { call, client, settle, server } = await serving(execute)
    call(client, "add", {}, { callId: "k" })
    await settle()
    call(client, "add", {}, { callId: "k" })
    await settle()
    expect(execute).toHaveBeenCalledTimes(1)
    expect(server.of("answer").map(({ answer }) => answer)).toEqual([{ text: "done", is_error: false }, { text: "done", is_error: false }])
  })

  it("is answered from the record until that is taken, too, and once at a time", async () => {
    const { call, client, settle, server, clock } = await serving(() => "done")
    call(client, "add", {}, { callId: "k" })
    await settle()
    server.before = faults(["answer", network(), 2])
    call(client, "add", {}, { callId: "k" })
    await settle()
    call(client, "add", {}, { callId: "k" })
    await settle()
    await clock.advance(20_000)
    // The first answer, and the repeated one: twice in vain, once taken.
    expect(server.of("answer").length).toBe(4)
    expect(clock.holds).toBe(0)
  })

  it("is answered from the record by a client that had to register again for it", async () => {
    const { call, client, settle, server, clock } = await serving(() => "done")
    call(client, "add", {}, { callId: "k" })
    await settle()
    server.forget()
    call(client, "add", {}, { callId: "k" })
    await settle()
    await clock.advance(5_000)
    expect(server.of("answer").at(-1)).toMatchObject({ id: "id2", callId: "k" })
  })

  it("after its answer was never taken, and taken this time, is answered in the record too", async () => {
    const { call, client, settle, clock, server, record } = await serving(() => "done")
    server.before = faults(["answer", refusal(403)])
    call(client, "add", {}, { callId: "k" })
    await settle()
    expect(record("k")).toMatchObject({ phase: "failed" })
    await clock.advance(1_000)
    call(client, "add", {}, { callId: "k" })
    await settle()
    expect(record("k")).toMatchObject({ phase: "answered", answer: { text: "done" }, error: undefined, settledAt: clock.now() })
  })

  it("runs nothing, however far the clock has jumped since", async () => {
    const execute = vi.fn(() => "done")
    const { call, client, settle, clock, server } = await serving(execute)
    call(client, "add", {}, { callId: "k" })
    await settle()
    clock.jump(24 * 3_600_000)
    call(client, "add", {}, { callId: "another" })
    await settle()
    call(client, "add", {}, { callId: "k" })
    await settle()
    expect(execute).toHaveBeenCalledTimes(2)
    expect(server.of("answer").map(({ callId }) => callId)).toEqual(["k", "another", "k"])
  })

  it("after it was cancelled runs nothing: it is answered with what is to be known of it, and its record stays", async () => {
    const execute = vi.fn(() => new Promise(() => {}))
    const { call, client, settle, registry, server, record } = await serving(execute)
    call(client, "add", {}, { callId: "k" })
    await settle()
    registry.cancelCall("k", "cancelled")
    await settle()
    const before = record("k")
    call(client, "add", {}, { callId: "k" })
    await settle()
    expect(execute).toHaveBeenCalledTimes(1)
    expect(server.of("answer")).toEqual([expect.objectContaining({ callId: "k", answer: { text: expect.stringContaining("may have run in part"), is_error: true } })])
    expect(record("k")).toBe(before)
  })

  it("to another client of the page, which has taken the place of the one that ran it, is answered with the same", async () => {
    const execute = vi.fn(() => "done")
    const { call, client, settle, registry, server } = await serving(execute)
    call(client, "add", {}, { callId: "k" })
    await settle()
    await registry.delete(client)
    const other = registry.create("web")
    other.addTool("add", aTool(execute))
    await settle()
    call(other, "add", {}, { callId: "k" })
    await settle()
    expect(execute).toHaveBeenCalledTimes(1)
    expect(server.of("answer").map(({ callId, answer }) => [callId, answer?.text])).toEqual([["k", "done"], ["k", "done"]])
  })

  it("to another client of the page while the first one's tool still runs waits for its answer", async () => {
    const { promise, resolve } = createDeferred<string>()
    const execute = vi.fn(() => promise)
    const { call, client, settle, registry, server } = await serving(execute)
    call(client, "add", {}, { callId: "k" })
    await settle()
    const other = registry.create("web")
    other.addTool("add", aTool(execute))
    await settle()
    call(other, "add", {}, { callId: "k" })
    await settle()
    expect(server.of("answer")).toEqual([])
    resolve("done")
    await settle()
    expect(execute).toHaveBeenCalledTimes(1)
    expect(server.of("answer").map(({ id, answer }) => [id, answer?.text])).toEqual([[client.state.id, "done"], [other.state.id, "done"]])
  })
})

describe("an answer", () => {
  it.each([["network", network()], [429, refusal(429)], [500, refusal(500)], [502, refusal(502)]] as const)(
    "that fails by %s is sent again until it is taken, and that is reported once",
    async (_what, error) => {
      const { call, client, clock, server, errors, record } = await serving()
      server.before = faults(["answer", error, 4])
      const callId = call(client, "add")
      await clock.advance(0)
      expect(record(callId)?.phase).toBe("running")
      await clock.advance(60_000)
      expect(server.of("answer").length).toBe(5)
      expect(errors).toEqual([error])
      expect(record(callId)).toMatchObject({ phase: "answered", error: undefined })
      expect(clock.holds).toBe(0)
    },
  )

  it("that was taken, and whose taking was lost, is sent again and is the same", async () => {
    const execute = vi.fn(() => "done")
    const { call, client, clock, server, record } = await serving(execute)
    server.after = faults(["answer", network()])
    const callId = call(client, "add")
    await clock.advance(10_000)
    expect(server.of("answer").length).toBe(2)
    expect(record(callId)?.phase).toBe("answered")
    expect(execute).toHaveBeenCalledTimes(1)
  })

  it("that is never taken is sent until the deadline, and the call has failed", async () => {
    const { call, client, clock, server, record, errors } = await serving()
    const error = network()
    server.before = faults(["answer", error, 10_000])
    const callId = call(client, "add")
    await clock.advance(299_000)
    expect(record(callId)?.phase).toBe("running")
    await clock.advance(60_000)
    expect(record(callId)).toMatchObject({ phase: "failed", answer: { text: "done", is_error: false }, error, isCancelled: false })
    const sent = server.of("answer").length
    expect(sent).toBeLessThan(60)
    expect(errors.at(-1)).toBe(error)
    await clock.advance(600_000)
    expect(server.of("answer").length).toBe(sent)
    expect(clock.holds).toBe(0)
  })

  it("waits as long as the server asks", async () => {
    const { call, client, clock, server, settle } = await serving()
    server.before = faults(["answer", refusal(503, "unavailable", 20_000)])
    call(client, "add")
    await settle()
    await clock.advance(19_999)
    expect(server.of("answer").length).toBe(1)
    await clock.advance(10_000)
    expect(server.of("answer").length).toBe(2)
  })

  it("that waits is sent at once when the stream is open again", async () => {
    const { call, client, server, settle, open } = await serving()
    server.before = faults(["answer", refusal(503, "unavailable", 20_000)])
    const callId = call(client, "add")
    await settle()
    open()
    await settle()
    expect(server.answers.has(callId)).toBe(true)
  })

  it("to a call that is settled already is dropped: not repeated, not reported, and the call has failed", async () => {
    const { call, client, clock, server, record, errors } = await serving()
    server.settle("k")
    call(client, "add", {}, { callId: "k" })
    await clock.advance(60_000)
    expect(server.of("answer").length).toBe(1)
    expect(errors).toEqual([])
    expect(record("k")).toMatchObject({ phase: "failed", error: { status: 409 } })
  })

  it.each([[403, "not your call"], [404, "no such call"], [400, "malformed"]] as const)("that is refused by %d (%s) is reported and not repeated", async (status, _why) => {
    const { call, client, clock, server, record, errors } = await serving()
    const error = refusal(status, "refused")
    server.before = faults(["answer", error, 9])
    const callId = call(client, "add")
    await clock.advance(60_000)
    expect(server.of("answer").length).toBe(1)
    expect(errors).toEqual([error])
    expect(record(callId)).toMatchObject({ phase: "failed", error })
  })

  it("that is too large for the server is replaced by one that says so, and other calls are unharmed", async () => {
    const { call, client, clock, server, record, errors } = await serving()
    let isRefused = false
    server.before = (request) => {
      if (request.type !== "answer" || request.callId !== "k" || isRefused) return
      isRefused = true
      throw refusal(413)
    }
    const callId = call(client, "add", {}, { callId: "k" })
    const other = call(client, "mul")
    await clock.advance(1_000)
    expect(server.answers.get(callId)).toMatchObject({ is_error: true, text: expect.stringContaining("too large") })
    expect(record(callId)).toMatchObject({ phase: "answered", answer: { is_error: true } })
    expect(server.answers.has(other)).toBe(true)
    expect(errors.length).toBe(1)
  })

  it("whose replacement is too large as well is given up", async () => {
    const { call, client, clock, server, record } = await serving()
    server.before = faults(["answer", refusal(413), 9])
    const callId = call(client, "add")
    await clock.advance(60_000)
    expect(server.of("answer").length).toBe(2)
    expect(record(callId)?.phase).toBe("failed")
  })

  it("is given by a client that had to register again first", async () => {
    const { call, client, clock, server, record, sent, settle } = await serving()
    server.before = (request) => {
      if (request.type === "answer" && request.id === "id1") {
        server.forget()
        throw refusal(404)
      }
    }
    const callId = call(client, "add")
    await settle()
    await clock.advance(5_000)
    expect(sent()).toEqual(["ack", "answer", "register", "answer"])
    expect(record(callId)?.phase).toBe("answered")
    expect(client.state).toMatchObject({ status: "serving", name: "web" })
  })

  it("is told to nobody after the DELETE", async () => {
    const gate = createDeferred<string>()
    let signal: AbortSignal | undefined
    const { call, client, registry, settle, clock, sent, record } = await serving((_args, given) => {
      signal = given.signal
      return gate.promise
    })
    const callId = call(client, "add")
    await settle()
    const gone = registry.delete(client)
    expect(signal?.aborted).toBe(true)
    await gone
    gate.resolve("late")
    await settle()
    await clock.advance(60_000)
    expect(sent()).toEqual(["ack", "delete"])
    expect(record(callId)).toMatchObject({ phase: "failed" })
    expect(clock.pending + clock.holds).toBe(0)
  })

  it("that waits for its next try is given up when the session fails", async () => {
    const { call, client, settle, clock, server, record, controlOf } = await serving()
    server.before = faults(["answer", network(), 99])
    const callId = call(client, "add")
    await settle()
    controlOf(client).sessionFailed(refusal(401))
    await clock.advance(60_000)
    expect(server.of("answer").length).toBe(1)
    expect(record(callId)).toMatchObject({ phase: "failed", answer: { text: "done" } })
    expect(clock.pending + clock.holds).toBe(0)
  })

  it("whose tool comes back after the session has failed says that as the reason", async () => {
    const gate = createDeferred<string>()
    const { call, client, settle, record, controlOf } = await serving(() => gate.promise)
    const callId = call(client, "add")
    await settle()
    controlOf(client).sessionFailed(refusal(401))
    gate.resolve("late")
    await settle()
    expect(record(callId)).toMatchObject({ phase: "failed", isCancelled: false, error: new Error("The tool client had failed before the answer could be sent.") })
  })

  it("that waits for its next try is given up when the client is deleted", async () => {
    const { call, client, registry, settle, clock, sent, server, record } = await serving()
    server.before = faults(["answer", network(), 99])
    const callId = call(client, "add")
    await settle()
    await registry.delete(client)
    await clock.advance(60_000)
    expect(sent()).toEqual(["ack", "answer", "delete"])
    expect(record(callId)?.phase).toBe("failed")
    expect(clock.pending + clock.holds).toBe(0)
  })
})

describe("a call that the server cancels", () => {
  it("aborts its signal and is not answered, also when the tool comes back", async () => {
    const gate = createDeferred<string>()
    let signal: AbortSignal | undefined
    const { call, client, registry, settle, sent, record, clock } = await serving((_args, given) => {
      signal = given.signal
      return gate.promise
    })
    const callId = call(client, "add")
    await settle()
    registry.cancelCall(callId, "it was cancelled")
    expect(signal?.aborted).toBe(true)
    expect(String(signal?.reason)).toContain("it was cancelled")
    gate.resolve("late")
    await settle()
    expect(sent()).toEqual(["ack"])
    expect(record(callId)).toMatchObject({ phase: "failed", answer: undefined, isCancelled: true })
    expect(clock.holds).toBe(0)
  })

  it("tells no developer that its tool threw what it was aborted with", async () => {
    const { call, client, registry, settle, record, sent } = await serving(
      (_args, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    )
    const callId = call(client, "add")
    await settle()
    registry.cancelCall(callId, "it was cancelled")
    await settle()
    expect(record(callId)).toMatchObject({ phase: "failed", isCancelled: true, error: { name: "AbortError" } })
    expect(sent()).toEqual(["ack"])
    expect(warned).not.toHaveBeenCalled()
  })

  it("does not run any more when its arguments are still being checked", async () => {
    const gate = createDeferred<string>()
    const execute = vi.fn()
    const { call, client, registry, settle } = await serving(execute, { parse: () => gate.promise })
    const callId = call(client, "add")
    await settle()
    registry.cancelCall(callId, "cancelled")
    gate.resolve("parsed")
    await settle()
    expect(execute).not.toHaveBeenCalled()
  })

  it("that nobody has, or that is settled, changes nothing", async () => {
    const { answer, registry, client } = await serving()
    await answer()
    const { state } = client
    registry.cancelCall("call1", "late")
    registry.cancelCall("unknown", "whose")
    expect(client.state).toBe(state)
  })
})

describe("before the answer of a call", () => {
  it("the tools that it changed are out", async () => {
    const { call, client, settle, sent } = await serving(() => {
      client.addTool("next", aTool())
      return "done"
    })
    call(client, "add")
    await settle()
    expect(sent()).toEqual(["ack", "update", "answer"])
  })

  it("what it caused to be rendered is committed, and the tools that changed by that are out", async () => {
    const bench = createBench()
    const client = bench.registry.create("web")
    const committed = async () => {
      await Promise.resolve()
      client.addTool("next", aTool())
    }
    client.declare(createToolSource(aTool, 1, committed), "add")
    await bench.settle()
    bench.call(client, "add")
    await bench.settle()
    expect(bench.server.requests.map(({ type }) => type)).toEqual(["register", "ack", "update", "answer"])
  })

  it("an update that hangs is waited for two seconds at most", async () => {
    const { call, client, clock, server, settle } = await serving(() => {
      client.addTool("next", aTool())
      return "done"
    })
    server.before = ({ type }) => (type === "update" ? new Promise(() => {}) : undefined)
    const callId = call(client, "add")
    await settle()
    await clock.advance(FLUSH_LIMIT_MS - 1)
    expect(server.of("answer")).toEqual([])
    await clock.advance(1)
    expect(server.answers.has(callId)).toBe(true)
  })

  it("a developer is told of what a tool returned beside its answer, which nobody is sent", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    const { call, client, server, settle } = await serving(() => ({ text: "sold out", is_error: true, left: 0 }))
    const callId = call(client, "add")
    await settle()
    expect(server.answers.get(callId)).toMatchObject({ text: "sold out", is_error: true })
    expect(warn.mock.calls.map(([text]) => text)).toEqual([expect.stringMatching(/"add".*"left".*put it into the text/)])
    warn.mockRestore()
  })

  it("a developer is told of a number that is null for the model, and where it was", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    const { call, client, server, settle } = await serving(() => ({ total: 0 / 0 }))
    const callId = call(client, "add")
    await settle()
    expect(server.answers.get(callId)).toMatchObject({ text: '{"total":null}', is_error: false })
    expect(warn.mock.calls.map(([text]) => text)).toEqual([expect.stringMatching(/"add" returned NaN \(at total\)/)])
    warn.mockRestore()
  })

  it("a refusal of the arguments waits for nothing", async () => {
    const bench = createBench()
    const client = bench.registry.create("web")
    const wait = vi.fn(async () => {})
    const refuses = (): never => {
      throw new Error("not these")
    }
    client.declare(createToolSource(() => aTool(undefined, { parse: refuses }), 1, wait), "add")
    await bench.settle()
    bench.call(client, "add")
    bench.call(client, "mul")
    await bench.settle()
    expect(bench.server.answers.size).toBe(2)
    expect(wait).not.toHaveBeenCalled()
  })

  it.each<[string, () => Promise<void>]>([
    ["throws", () => { throw new Error("of a binding") }],
    ["rejects", () => Promise.reject(new Error("of a binding"))],
    ["never ends", () => new Promise(() => {})],
  ])("a binding's wait that %s holds up no answer for long", async (how, wait) => {
    const bench = createBench()
    const client = bench.registry.create("web")
    client.declare(createToolSource(aTool, 1, wait), "add")
    await bench.settle()
    const callId = bench.call(client, "add")
    await bench.settle()
    await bench.clock.advance(5_000)
    expect(bench.server.answers.get(callId)?.text).toBe("done")
    if (how !== "never ends") expect(bench.errors).toEqual([new Error("of a binding")])
    expect(bench.clock.holds).toBe(0)
  })
})

describe("an ack", () => {
  it("that fails is reported and not repeated, and holds up nothing", async () => {
    for (const error of [network(), refusal(500), refusal(403)]) {
      const { call, client, clock, server, errors, sent } = await serving()
      server.before = faults(["ack", error])
      const callId = call(client, "add")
      await clock.advance(5_000)
      expect(sent()).toEqual(["ack", "answer"])
      expect(errors).toEqual([error])
      expect(server.answers.has(callId)).toBe(true)
    }
  })

  it("that hangs holds up nothing", async () => {
    const { call, client, settle, server } = await serving()
    server.before = ({ type }) => (type === "ack" ? new Promise(() => {}) : undefined)
    const callId = call(client, "add")
    await settle()
    expect(server.answers.has(callId)).toBe(true)
  })
})

describe("many calls", () => {
  it("leave the last fifty settled in the state, and those in flight", async () => {
    const gate = createDeferred<string>()
    const { call, client, settle } = await serving(({ slow }: { slow?: boolean }) => (slow ? gate.promise : "done"))
    call(client, "add", { slow: true }, { callId: "slow" })
    for (let count = 0; count < 60; count++) call(client, "add", {}, { callId: `k${count}` })
    await settle()
    expect(client.state.calls.map(({ callId }) => callId)).toEqual(["slow", ...Array.from({ length: 50 }, (_, index) => `k${index + 10}`)])
    gate.resolve("done")
    await settle()
  })

  it("count as signs of life, so that no ping is due", async () => {
    const { call, client, clock, server } = await serving()
    for (let count = 0; count < 12; count++) {
      call(client, "add")
      await clock.advance(10_000)
    }
    expect(server.of("ping")).toEqual([])
  })

  it("of a listener that throws, or an error handler that does, are all answered", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {})
    const bench = createBench()
    const client = await bench.serving(["add"], {
      onError() {
        throw new Error("of the user's handler")
      },
    })
    client.subscribe(() => {
      throw new Error("of the user's listener")
    })
    bench.server.before = faults(["ack", network()], ["answer", network()])
    const callId = bench.call(client, "add")
    await bench.clock.advance(10_000)
    expect(bench.server.answers.has(callId)).toBe(true)
    expect(recordOf(client, callId)?.phase).toBe("answered")
    logged.mockRestore()
  })
})
