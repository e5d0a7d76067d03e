// That a sandbox's scripts run in a worker, and what becomes of it.
import { createItemStore, defineTool, Sandbox, type SandboxOptions, ToolInterrupt } from "react-tool-client/tools"
import { Worker } from "node:worker_threads"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { z } from "zod"
import { createDeferred } from "../../src/lib/deferred.ts"
import { createWorker as spawn } from "../../scripts/vitest/workerOfSource.ts"
import { LONG_OPERATIONS } from "./support/longOperations.ts"
import { quiet, rejection } from "./support/maps.ts"

const none = defineTool({ id: "none", name: "None", input: z.object({}), output: z.null(), execute: () => null })
const ask = defineTool({
  id: "ask",
  name: "Ask",
  input: z.object({}),
  output: z.unknown(),
  execute(_input, { resumption }) {
    if (!resumption) throw new ToolInterrupt("Really?")
    return resumption.answer
  },
})

/** The `threadId` of a worker that has ended. */
const ENDED = -1

/** A sandbox whose workers can be looked at. */
function watched(options: Partial<SandboxOptions> = {}) {
  const workers: Worker[] = []
  const worker = async () => {
    const made = (await spawn()) as unknown as Worker
    workers.push(made)
    return made
  }
  return { sandbox: new Sandbox({ actions: { none, ask }, worker, ...options }), workers }
}

/** Resolves when a worker has ended, however that came. */
const ended = (worker: Worker | undefined): Promise<unknown> => new Promise((resolve) => worker?.once("exit", resolve))

const context = { logger: quiet }

describe("a script that does not come back from a built-in function", () => {
  it.each(LONG_OPERATIONS)("is ended by its time: %s", async (_what, code) => {
    const { sandbox } = watched({ limits: { cpuMs: 100, memoryBytes: 2 ** 30 } })
    let ticks = 0
    const ticking = setInterval(() => ticks++, 10)
    expect(await rejection(sandbox.run(code, context))).toMatchObject({ code: "limit", message: expect.stringContaining("100 ms by itself") })
    clearInterval(ticking)
    // This thread was free all the while.
    expect(ticks).toBeGreaterThan(5)
    expect(await sandbox.run("await none()", context)).toEqual({ status: "completed", value: null })
  })

  it("has its calls aborted, and what it logged before is told", async () => {
    const begun = createDeferred<AbortSignal | undefined>()
    const waits = defineTool({
      id: "waits",
      name: "Waits",
      input: z.object({}),
      output: z.null(),
      execute(_input, { signal }) {
        begun.resolve(signal)
        return new Promise<null>(() => {})
      },
    })
    const said: string[] = []
    const { sandbox } = watched({ actions: { waits }, limits: { cpuMs: 50 } })
    const code = "waits(); console.log('before'); Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)"
    expect(await rejection(sandbox.run(code, { logger: { ...quiet, info: (text) => void said.push(text) } }))).toMatchObject({ code: "limit" })
    expect((await begun.promise)?.aborted).toBe(true)
    expect(said).toEqual(["before"])
  })

  it("is ended after it went on from an interrupt, too", async () => {
    const { sandbox } = watched({ limits: { cpuMs: 50 } })
    const paused = await sandbox.run("await ask(); Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", context)
    if (paused.status !== "interrupted") throw new Error("it did not pause")
    expect(await rejection(paused.resume("yes"))).toMatchObject({ code: "limit", message: expect.stringContaining("50 ms") })
  })

  it("is ended by the caller's abort in the middle of it", async () => {
    const { sandbox, workers } = watched({ limits: { cpuMs: 600_000 } })
    const controller = new AbortController()
    const logger = { ...quiet, info: () => controller.abort(new Error("enough")) }
    const running = rejection(sandbox.run("console.log('now'); Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", { logger, signal: controller.signal }))
    expect(await running).toMatchObject({ code: "aborted", cause: { message: "enough" } })
    await ended(workers[0])
  })

  it("ends no other script of the sandbox", async () => {
    const { sandbox, workers } = watched({ limits: { cpuMs: 300 } })
    const [stuck, ...others] = await Promise.all([
      rejection(sandbox.run("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", context)),
      ...[1, 2].map((n) => sandbox.run(`await none(); ${n}`, context)),
    ])
    expect(stuck).toMatchObject({ code: "limit" })
    expect(others).toMatchObject([{ value: 1 }, { value: 2 }])
    expect(workers).toHaveLength(3)
  })
})

describe("a sandbox's worker", () => {
  it("is used again by the next script, which finds nothing of the one before", async () => {
    const { sandbox, workers } = watched()
    expect(await sandbox.run("globalThis.left = 1; Array.prototype.left = 2", context)).toMatchObject({ value: 2 })
    expect(await sandbox.run("typeof left + [].left", context)).toMatchObject({ value: "undefinedundefined" })
    expect(await rejection(sandbox.run("throw 1", context))).toMatchObject({ code: "failed" })
    expect(await sandbox.run("1", context)).toMatchObject({ value: 1 })
    expect(workers).toHaveLength(1)
  })

  it("is shared with no other sandbox, and only a few wait without a script", async () => {
    const all = Array.from({ length: 6 }, () => watched())
    for (const { sandbox } of all) await sandbox.run("1", context)
    expect(all.every(({ workers }) => workers.length === 1)).toBe(true)
    for (const { workers: [worker] } of all.slice(0, 2)) if (worker?.threadId !== ENDED) await ended(worker)
  })

  it("is out of a script's reach", async () => {
    const { sandbox } = watched()
    const names = ["self", "postMessage", "onmessage", "addEventListener", "importScripts", "close", "Worker", "WebAssembly", "process", "require", "fetch", "performance", "Atomics"]
    expect(await sandbox.run(`${JSON.stringify(names)}.filter((name) => name in globalThis)`, context)).toEqual({ status: "completed", value: expect.not.arrayContaining(names.slice(0, -1)) })
    expect(await rejection(sandbox.run("await import('node:fs')", context))).toMatchObject({ code: "failed" })
  })

  it("is ended when a script floods it with logs, before they fill the memory of the page", async () => {
    const { sandbox } = watched({ limits: { memoryBytes: 2 ** 20, cpuMs: 60_000 } })
    let told = 0
    const logger = { ...quiet, info: () => void told++ }
    expect(await rejection(sandbox.run("for (;;) console.log('x'.repeat(1000))", { logger }))).toMatchObject({ code: "limit", message: expect.stringContaining("logged and called more") })
    expect(told).toBeLessThan(2_000)
    // What was heard between does not count.
    expect(await new Sandbox({ actions: { none }, limits: { memoryBytes: 2 ** 20 } }).run("for (let i = 0; i < 50; i++) { console.log('x'.repeat(1e5)); await none() }", { logger })).toMatchObject({ status: "completed" })
  })

  it("crashed, ends its script with a reason, and the next script has another", async () => {
    const { sandbox, workers } = watched()
    const paused = sandbox.run("await wait()", context).catch((error: unknown) => error)
    expect(await paused).toMatchObject({ code: "failed" })
    const begun = createDeferred<void>()
    const wait = defineTool({ id: "wait", name: "Wait", input: z.object({}), output: z.null(), execute: () => (begun.resolve(), new Promise<null>(() => {})) })
    const crashing = watched({ actions: { wait } })
    const running = rejection(crashing.sandbox.run("await wait()", context))
    await begun.promise
    await crashing.workers[0]?.terminate()
    expect(await running).toMatchObject({ code: "limit", message: expect.stringContaining("its worker end (it ended with code") })
    expect(await crashing.sandbox.run("1", context)).toMatchObject({ value: 1 })
    // One that ended while it waited for a script is not used either.
    await workers[0]?.terminate()
    expect(await sandbox.run("1", context)).toMatchObject({ value: 1 })
    expect(workers).toHaveLength(2)
  })

  it("is not waited for by a caller who gives up while it starts, and not lost", async () => {
    const { sandbox, workers } = watched()
    const controller = new AbortController()
    const running = rejection(sandbox.run("1", { ...context, signal: controller.signal }))
    controller.abort(new Error("enough"))
    expect(await running).toMatchObject({ code: "aborted", cause: { message: "enough" } })
    expect(await rejection(sandbox.run("1", { ...context, signal: controller.signal }))).toMatchObject({ code: "aborted" })
    expect(workers.length).toBeLessThan(2)
  })

  it("ends when a script that waits for somebody is given up while it runs, and waits for the next when it did not", async () => {
    const { sandbox, workers } = watched()
    const paused = await sandbox.run("await ask()", { ...context, items: createItemStore() })
    if (paused.status !== "interrupted") throw new Error("it did not pause")
    paused.cancel()
    expect(await sandbox.run("1", context)).toMatchObject({ value: 1 })
    expect(await sandbox.run("2", context)).toMatchObject({ value: 2 })
    expect(workers.length).toBeLessThan(3)
  })

  it("goes on where a logger throws, which is told", async () => {
    const { sandbox } = watched()
    const full = new Error("the disk is full")
    const logger = {
      ...quiet,
      info() {
        throw full
      },
    }
    const told = vi.spyOn(console, "error").mockImplementation(() => {})
    onTestFinished(() => told.mockRestore())
    expect(await sandbox.run("console.log(1); 2", { logger })).toMatchObject({ value: 2 })
    expect(told).toHaveBeenCalledWith(full)
  })
})

describe("without a worker", () => {
  const missing = () => new Worker(new URL("./nowhere.mjs", import.meta.url))

  it.each([
    ["cannot be made", () => Promise.reject(new Error("refused by policy")), "refused by policy"],
    ["is not found", missing, "nowhere.mjs"],
    ["throws", () => new Worker("throw new Error('at once')", { eval: true }), "at once"],
    ["ends", () => new Worker("process.exit(3)", { eval: true }), "it ended with code 3"],
  ])("that %s a script is refused, and told what to do", async (_what, worker, reason) => {
    const error = await rejection(new Sandbox({ actions: { none }, worker }).run("1", context))
    expect(error).toMatchObject({ code: "no_worker", message: expect.stringContaining(reason) })
    expect(error).toMatchObject({ message: expect.stringContaining("react-tool-client/sandbox-worker") })
  })

  it("on request, a script runs in the caller's thread, within the limits that an engine can hold", async () => {
    const sandbox = new Sandbox({ actions: { none, ask }, worker: false, limits: { cpuMs: 50 } })
    expect(await sandbox.run("await none()", context)).toEqual({ status: "completed", value: null })
    expect(await rejection(sandbox.run("for (;;) {}", context))).toMatchObject({ code: "limit", message: expect.stringContaining("50 ms") })
    expect(await rejection(sandbox.run("let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; o", context))).toMatchObject({ code: expect.stringMatching(/limit|failed/) })
    const paused = await sandbox.run("await ask()", context)
    expect(paused).toMatchObject({ status: "interrupted", message: "Really?" })
    expect(paused.status === "interrupted" && (await paused.resume(5))).toMatchObject({ value: 5 })
  })

  it("a worker that is no function is refused when the sandbox is made", () => {
    expect(() => new Sandbox({ actions: {}, worker: true as never })).toThrow("a function that makes one, or false")
  })
})
