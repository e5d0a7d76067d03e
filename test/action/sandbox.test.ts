import { createItemStore, defineTool, Sandbox, type SandboxLimits, type SandboxResult, type Tool, type ToolContext, ToolError, ToolInterrupt } from "react-tool-client/tools"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { z } from "zod"
import { createDeferred } from "../../src/lib/deferred.ts"
import { createFakeClock } from "../../src/testing/fakeClock.ts"
import { MAPS, quiet, rejection } from "./support/maps.ts"

describe.each(MAPS)("a script whose actions run $where", ({ create }) => {
  const setUp = async () => {
    const { tools, seen } = await create()
    const sandbox = new Sandbox({ actions: tools })
    const run = (code: string, context: Partial<ToolContext> = {}) => sandbox.run(code, { logger: quiet, ...context })
    return { seen, run }
  }

  it("calls an action and gives the value of its last statement", async () => {
    const { run } = await setUp()
    expect(await run("await demoAdd({ a: 1, b: 2 })")).toEqual({ status: "completed", value: { sum: 3 } })
  })

  it("gives what a return at its top gives, and no statement's value then", async () => {
    const { run } = await setUp()
    expect(await run("const { sum } = await demoAdd({ a: 1, b: 2 })\nif (sum > 2) return sum\n5")).toEqual({ status: "completed", value: 3 })
    expect(await run("if (false) return 1\n5")).toEqual({ status: "completed", value: undefined })
  })

  it("calls several at once, and computes with what they give", async () => {
    const { run } = await setUp()
    const code = `
      const sums = await Promise.all([1, 2, 3].map((a) => demoAdd({ a })))
      sums.reduce((all, { sum }) => all + sum, 0)`
    expect(await run(code)).toEqual({ status: "completed", value: 36 })
  })

  it("rejects with the action's own error where the script does not catch it", async () => {
    const { run } = await setUp()
    const error = await rejection(run('await demoAdd({ a: "one" })'))
    expect(error).toBeInstanceOf(ToolError)
    expect(error).toMatchObject({ code: "invalid_input", tool: "demo.add", issues: [{ path: ["a"] }] })
    expect(await rejection(run("await demoFail()"))).toMatchObject({ code: "failed", message: 'Tool "demo.fail": the disk is full: ENOSPC' })
  })

  it("lets a script catch an action's error and read its code, its tool and its issues", async () => {
    const { run } = await setUp()
    const code = "let got; try { await demoLie() } catch ({ name, code, tool, issues: [{ path }] }) { got = { name, code, tool, path } } got"
    expect(await run(code)).toEqual({
      status: "completed",
      value: { name: "ToolError", code: "invalid_output", tool: "demo.lie", path: ["list", 1, "n"] },
    })
  })

  it("pauses at an interrupt, and goes on with the answer", async () => {
    const { run } = await setUp()
    const items = createItemStore()
    const paused = await run('const tea = await demoBuy({ thing: "tea" }); `${tea.bought} by ${tea.by}`', { items })
    if (paused.status !== "interrupted") throw new Error("it did not pause")
    expect(paused).toMatchObject({ tool: "demoBuy", message: "Buy tea?", data: { price: 3 } })
    expect(items.list().map(({ type }) => type)).toEqual(["question"])
    expect(await paused.resume("Ann")).toEqual({ status: "completed", value: "tea#1 by Ann" })
    expect(await rejection(paused.resume("Bob"))).toMatchObject({ code: "failed" })
  })

  it("asks of two interrupts one after the other, when nothing else is under way", async () => {
    const { run, seen } = await setUp()
    let result: SandboxResult = await run('(await Promise.all([demoBuy({ thing: "tea" }), demoAdd({ a: 1 }), demoBuy({ thing: "jam" })])).map((one) => one.by ?? one.sum)')
    expect(seen.calls.map(({ action }) => action).sort()).toEqual(["add", "buy", "buy"])
    const asked: string[] = []
    while (result.status === "interrupted") {
      asked.push(result.message)
      result = await result.resume(`answer ${asked.length}`)
    }
    expect(asked.sort()).toEqual(["Buy jam?", "Buy tea?"])
    expect(result).toMatchObject({ value: expect.arrayContaining([11, "answer 1", "answer 2"]) })
  })

  it("can be given up while it waits for an answer", async () => {
    const { run } = await setUp()
    const paused = await run('await demoBuy({ thing: "tea" })')
    if (paused.status !== "interrupted") throw new Error("it did not pause")
    paused.cancel()
    expect(await rejection(paused.resume("Ann"))).toMatchObject({ code: "failed", tool: "demoBuy" })
  })

  it("shares the conversation's items with its actions", async () => {
    const { run } = await setUp()
    const items = createItemStore([{ type: "note", text: "first" }])
    const code = 'const one = await demoRemember({ text: "second" }); const two = await demoRemember({ text: "third" }); [one.before, two.before]'
    expect(await run(code, { items })).toEqual({ status: "completed", value: ["first", "second"] })
    expect(items.list("note")).toHaveLength(3)
  })

  it("aborts the actions that run when it is given up", async () => {
    const { run, seen } = await setUp()
    const controller = new AbortController()
    const begun = new Promise<void>((resolve) => Object.assign(seen, { onWaiting: resolve }))
    const running = rejection(run("await demoWait()", { signal: controller.signal }))
    await begun
    const stopped = new Promise((resolve) => seen.waiting[0]?.addEventListener("abort", resolve))
    controller.abort(new Error("enough"))
    expect(await running).toMatchObject({ code: "aborted", tool: "script", cause: { message: "enough" } })
    await stopped
  })
})

describe("a sandbox", () => {
  const none = defineTool({ id: "none", name: "None", input: z.object({}), output: z.null(), execute: () => null })
  const run = (code: string, limits = {}, clock = createFakeClock()) => new Sandbox({ actions: { none }, limits, clock }).run(code, { logger: quiet })

  it("stops a script that never waits", async () => {
    expect(await rejection(run("for (;;) {}", { cpuMs: 50 }))).toMatchObject({ code: "limit", message: expect.stringContaining("50 ms") })
    expect(await rejection(run("try { for (;;) {} } catch {}", { cpuMs: 50 }))).toMatchObject({ code: "limit" })
    expect(await rejection(run("for (;;) await null", { cpuMs: 50 }))).toMatchObject({ code: "limit" })
    expect(await rejection(run("for (;;) await none()", { cpuMs: 50, calls: 1e6 }))).toMatchObject({ code: "limit" })
  })

  it("stops a script that takes all memory", async () => {
    expect(await rejection(run("const all = []; for (;;) all.push({})", { memoryBytes: 2e6, cpuMs: 10_000 }))).toMatchObject({
      code: "limit",
      message: expect.stringContaining("memory"),
    })
  })

  it("stops a script that is given more than it can hold, and says by what", async () => {
    const give = defineTool({ id: "give", name: "Give", input: z.object({ size: z.number() }), output: z.string(), execute: ({ size }) => "x".repeat(size) })
    const sandbox = new Sandbox({ actions: { give }, limits: { memoryBytes: 2 ** 21 } })
    expect(await rejection(sandbox.run("await give({ size: 2 ** 21 })", { logger: quiet }))).toMatchObject({ code: "limit", message: expect.stringContaining("what give gave (2097154 characters)") })
    expect(await sandbox.run("(await give({ size: 2 ** 18 })).length", { logger: quiet })).toMatchObject({ value: 2 ** 18 })
    expect(await rejection(sandbox.run(`[${"1,".repeat(1e5)}]`, { logger: quiet }))).toMatchObject({ code: "limit", message: expect.stringContaining("out of memory") })
  })

  it("stops a script that calls too much", async () => {
    expect(await rejection(run("for (let i = 0; i < 4; i++) await none()", { calls: 3 }))).toMatchObject({ code: "limit", message: expect.stringContaining("3 actions") })
    expect(await rejection(run("for (let i = 0; i < 4; i++) none()", { calls: 3 }))).toMatchObject({ code: "limit" })
    expect(await run("for (let i = 0; i < 3; i++) await none()", { calls: 3 })).toMatchObject({ status: "completed" })
  })

  it("stops a script whose actions take too long", async () => {
    const clock = createFakeClock()
    const begun = createDeferred<AbortSignal | undefined>()
    const hangs = defineTool({
      id: "hangs",
      name: "Hangs",
      input: z.object({}),
      output: z.null(),
      execute(_input, { signal }) {
        begun.resolve(signal)
        return new Promise<null>(() => {})
      },
    })
    const running = rejection(new Sandbox({ actions: { hangs }, limits: { timeoutMs: 500 }, clock }).run("await hangs()", { logger: quiet }))
    const signal = await begun.promise
    await clock.advance(500)
    expect(await running).toMatchObject({ code: "limit", message: expect.stringContaining("500 ms") })
    expect(signal?.aborted).toBe(true)
    expect(clock.pending).toBe(0)
  })

  describe("whose script waits for somebody", () => {
    const setUp = (clock = createFakeClock()) => {
      const begun = createDeferred<AbortSignal | undefined>()
      const tool = (id: string, execute: Tool["execute"]) => defineTool({ id, name: id, input: z.object({}), output: z.unknown(), execute })
      const actions = {
        slow: tool("slow", () => Promise.resolve(clock.jump(300))),
        ask: tool("ask", (_input, { resumption }) => (resumption ? Promise.resolve(resumption.answer) : Promise.reject(new ToolInterrupt("Really?")))),
        hangs: tool("hangs", (_input, { signal }) => (begun.resolve(signal), new Promise(() => {}))),
      }
      const sandbox = new Sandbox({ actions, limits: { timeoutMs: 500 }, clock })
      const pause = async (code: string) => {
        const result = await sandbox.run(code, { logger: quiet })
        if (result.status !== "interrupted") throw new Error("it did not pause")
        return result
      }
      return { pause, begun: begun.promise, clock }
    }

    it("has its time in all, without that of the person", async () => {
      const { pause, begun, clock } = setUp()
      const paused = await pause("await slow(); await ask(); await hangs()")
      clock.jump(10_000)
      const running = rejection(paused.resume(1))
      const signal = await begun
      await clock.advance(199)
      expect(signal?.aborted).toBe(false)
      await clock.advance(1)
      expect(signal?.aborted).toBe(true)
      expect(await running).toMatchObject({ code: "limit", message: expect.stringContaining("500 ms") })
    })

    it("leaves nobody waiting when it is given up after the answer", async () => {
      const { pause, begun } = setUp()
      const paused = await pause("await ask(); await hangs()")
      const running = rejection(paused.resume(1))
      const signal = await begun
      paused.cancel()
      expect(await running).toMatchObject({ code: "aborted", tool: "script" })
      expect(signal?.aborted).toBe(true)
    })
  })

  it("survives a listener of an action's signal that throws, which is told", async () => {
    const broken = new Error("a listener's")
    const listens = defineTool({
      id: "listens",
      name: "Listens",
      input: z.object({}),
      output: z.null(),
      execute(_input, { signal }) {
        signal?.addEventListener("abort", () => {
          throw broken
        })
        return new Promise<null>(() => {})
      },
    })
    const told = vi.spyOn(console, "error").mockImplementation(() => {})
    onTestFinished(() => told.mockRestore())
    expect(await new Sandbox({ actions: { listens } }).run("listens(); 1", { logger: quiet })).toMatchObject({ value: 1 })
    expect(told).toHaveBeenCalledWith(broken)
  })

  it("takes no limit for one", async () => {
    expect(await run("await none(); 1", { memoryBytes: Infinity, cpuMs: Infinity, timeoutMs: Infinity, calls: Infinity })).toMatchObject({ value: 1 })
    expect(await run("1", { memoryBytes: 2 ** 32 })).toMatchObject({ value: 1 })
  })

  it("tells of a script that waits for nothing", async () => {
    expect(await rejection(run("await new Promise(() => {})"))).toMatchObject({ code: "failed", message: expect.stringContaining("waits for ever") })
  })

  it.each([
    ["nope()", "ReferenceError: 'nope' is not defined (script.js:1:1)"],
    ["\n\n  null.x", "script.js:3"],
    ["one two", "SyntaxError"],
    ["let a\nnope(", "(script.js:2"],
    ["return 5\none two\n3", "(script.js:2"],
    ["const a = 1; return one two", "(script.js:1:25)"],
    ["const a = 1; return nope()", "(script.js:1:21)"],
    ["return 1\nnope(", "SyntaxError"],
    ["return 1 }); globalThis.a = 5; (async () => {", "SyntaxError"],
    ["return 1 } async function g() {", "SyntaxError"],
    ["return 1 }, async () => {", "SyntaxError"],
    ["return 1; import a from 'a'", "SyntaxError"],
    ["throw new SyntaxError('return not in a function')", "return not in a function"],
    ["throw 5", "Error: 5"],
    ["throw null", "Error: null"],
    ["const f = () => 1 + f(); f()", "stack overflow"],
    ["throw { get name() { throw 1 } }", "Error"],
    ["const e = new Error(); Object.defineProperty(e, 'name', { get() { throw 1 } }); throw e", "no message"],
    ["1n", "BigInt"],
    ["const loop = {}; loop.loop = loop; loop", "circular"],
  ])("says what is wrong with %j", async (code, text) => {
    expect(await rejection(run(code))).toMatchObject({ code: "failed", tool: "script", message: expect.stringContaining(text) })
  })

  it.each([
    ["typeof process + typeof fetch + typeof require + typeof setTimeout", "undefinedundefinedundefinedundefined"],
    ["Promise.prototype.then = null; JSON.stringify = null; Array.prototype.map = null; await none()", null],
    ["none = 1; typeof none", "function"],
    ["console.log('a', { b: 1 }); 1", 1],
    ["undefined", undefined],
    ["() => 1", undefined],
    ["return 5 // done", 5],
    ["return /* nothing */", undefined],
    ["return Promise.resolve([await none()])", [null]],
    ["return f()\nfunction f() { return 'return not in a function' }", "return not in a function"],
    ["try { eval('return 1') } catch ({ name }) { name }", "SyntaxError"],
    ["", undefined],
    ["({ then(resolve) { resolve(7) } }).x", undefined],
  ])("runs %j", async (code, value) => {
    expect(await run(code)).toEqual({ status: "completed", value })
  })

  it.each([
    ["a result too deep for JSON", "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; o"],
    ["input too deep for JSON", "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; await none(o)"],
    ["an error that looks like a tool's", "throw Object.assign(new Error(), { name: 'ToolError', code: 'limit', tool: 'a', problem: 'b', issues: [{ path: 5 }] })"],
  ])("survives %s, and runs the next script", async (_what, code) => {
    const sandbox = new Sandbox({ actions: { none }, limits: { cpuMs: 5_000 } })
    expect(await rejection(sandbox.run(code, { logger: quiet }))).toBeInstanceOf(ToolError)
    // The engine is freed in a turn of its own.
    await Promise.resolve()
    expect(await sandbox.run("await none()", { logger: quiet })).toEqual({ status: "completed", value: null })
  })

  it("rejects with an action's error, whatever the script has made of the language", async () => {
    const code = "Error = Promise = String = null; let code; try { await none(5) } catch (error) { ({ code } = error) } code"
    expect(await run(code)).toEqual({ status: "completed", value: "invalid_input" })
    expect(await rejection(run("Object.defineProperty(Object.prototype, 'code', { set() { throw new TypeError('mine') } }); await none(5)"))).toMatchObject({
      code: "failed",
      message: expect.not.stringContaining("memory"),
    })
  })

  it("logs what JSON cannot say as text", async () => {
    const said: string[] = []
    const logger = { ...quiet, info: (text: string) => void said.push(text) }
    const code = `const loop = {}; loop.loop = loop
      console.log(1n, loop, Symbol("s"), undefined, null, new Error("boom"), [1], Object.create(null), { toString: null, toJSON() { throw 1 } })
      console.log(() => 1); "end"`
    expect(await new Sandbox({ actions: { none } }).run(code, { logger })).toMatchObject({ value: "end" })
    expect(said).toEqual(['1 [object Object] Symbol(s) undefined null Error: boom [1] {} object', "() => 1"])
  })

  it("tells the logger nothing after the end", async () => {
    const said: string[] = []
    const logger = { ...quiet, info: (text: string) => void said.push(text) }
    const noisy = new Sandbox({ actions: { none }, limits: { calls: 1 } }).run("console.log('1'); none(); none(); for (let i = 0; i < 100; i++) console.log('2')", { logger })
    expect(await rejection(noisy)).toMatchObject({ code: "limit" })
    expect(said).toEqual(["1"])
  })

  it("keeps what one script leaves from the next", async () => {
    const sandbox = new Sandbox({ actions: { none } })
    await sandbox.run("globalThis.left = 1; Object.prototype.left = 2", { logger: quiet })
    expect(await sandbox.run("typeof left", { logger: quiet })).toMatchObject({ value: "undefined" })
    expect(({} as { left?: unknown }).left).toBeUndefined()
  })

  it.each(["constructor", "__proto__", "1st", "für", "JSON", "console", "await", "a b", ""])("refuses an action called %j", async (name) => {
    const actions = Object.fromEntries([[name, none]])
    expect(await rejection(new Sandbox({ actions }).run("1", { logger: quiet }))).toMatchObject({ code: "bad_name" })
  })

  it("refuses limits that are none", () => {
    expect(() => new Sandbox({ actions: {}, limits: { memoryBytes: 1000 } })).toThrow("memoryBytes must be at least 1048576")
    expect(() => new Sandbox({ actions: {}, limits: { cpuMs: NaN } })).toThrow(RangeError)
  })
})

describe("scripts of one sandbox", () => {
  /** An action that asks a person, and one that waits until the test lets it go on. */
  function setUp(limits: Partial<SandboxLimits>) {
    const waiting: (() => void)[] = []
    const clock = createFakeClock()
    const ask = defineTool({
      id: "ask",
      name: "Ask",
      input: z.unknown(),
      output: z.unknown(),
      execute(_input, { resumption }) {
        if (!resumption) throw new ToolInterrupt("Really?")
        return resumption.answer
      },
    })
    const wait = defineTool({ id: "wait", name: "Wait", input: z.unknown(), output: z.null(), execute: () => new Promise<null>((resolve) => waiting.push(() => resolve(null))) })
    const sandbox = new Sandbox({ actions: { ask, wait }, limits, clock })
    const run = (code: string, context: Partial<ToolContext> = {}) => sandbox.run(code, { logger: quiet, ...context })
    return { run, waiting, clock }
  }

  it("run in a small number at once; others begin when one is over, or waits for a person, who is answered first", async () => {
    const { run, waiting } = setUp({ running: 1 })
    const asking = await run("`${await ask()}!`")
    if (asking.status !== "interrupted") throw new Error("it did not pause")
    const second = run("await wait(); 2")
    const third = run("3")
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
    const order: unknown[] = []
    const answered = asking.resume("yes")
    for (const running of [second, third, answered]) void running.then((result) => order.push(result.status === "completed" && result.value))
    waiting[0]?.()
    await Promise.all([second, third, answered])
    expect(order).toEqual([2, "yes!", 3])
  })

  it("are told that no turn came, and leave the queue when their caller gives up", async () => {
    const { run, waiting, clock } = setUp({ running: 1 })
    const asking = await run("await ask(); await wait()")
    if (asking.status !== "interrupted") throw new Error("it did not pause")
    const first = run("await wait(); 1")
    first.catch(() => {})
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
    const controller = new AbortController()
    const givenUp = rejection(run("2", { signal: controller.signal }))
    controller.abort()
    expect(await givenUp).toMatchObject({ code: "aborted" })
    const late = rejection(run("3"))
    await clock.advance(1_000)
    // Whenever the first one's worker is free, whoever has an answer comes before the one that waits.
    const answered = rejection(asking.resume("yes"))
    await clock.advance(59_000)
    expect(await late).toMatchObject({ code: "unavailable" })
    await clock.advance(1_000)
    expect([await rejection(first), await answered]).toMatchObject([{ code: "limit" }, { code: "limit" }])
    expect(await run("4")).toMatchObject({ value: 4 })
  })

  it("are refused at once beyond a number, whatever the others wait for, until one of them is over", async () => {
    const { run } = setUp({ unfinished: 2 })
    const paused = [await run("await ask(); 1"), await run("await ask(); 2")]
    expect(await rejection(run("3"))).toMatchObject({ code: "unavailable", message: expect.stringContaining("2 scripts of this sandbox are") as string })
    for (const one of paused) if (one.status === "interrupted") one.cancel()
    await vi.waitFor(async () => expect(await run("4")).toMatchObject({ value: 4 }))
  })

  it("leave nothing behind where no worker can be had", async () => {
    const sandbox = new Sandbox({ actions: {}, limits: { unfinished: 1 }, worker: () => Promise.reject(new Error("no worker")) })
    for (let count = 0; count < 3; count++) expect(await rejection(sandbox.run("1", { logger: quiet }))).toMatchObject({ code: "no_worker" })
  })
})
