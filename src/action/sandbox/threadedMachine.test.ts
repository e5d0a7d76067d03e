import { describe, expect, it } from "vitest"
import { turn } from "../../lib/turn.ts"
import { createFakeClock } from "../../testing/fakeClock.ts"
import { CPU_GRACE_MS, SANDBOX_LIMITS } from "./sandboxLimits.ts"
import type { FromSandbox, ToSandbox } from "./sandboxMessages.ts"
import type { ThreadListener } from "./sandboxThread.ts"
import { createThreadedMachine } from "./threadedMachine.ts"

/** A machine whose thread is played by the test; `log` has what it was told and what it told. */
function setUp(clock = createFakeClock()) {
  const log: string[] = []
  let listener: ThreadListener | undefined
  const thread = {
    isEnded: false,
    post: (message: ToSandbox) => void log.push(`> ${message.type}`),
    listen: (next: ThreadListener) => void (listener = next),
    hold: () => void log.push("hold"),
    letGo: () => void log.push("let go"),
    terminate() {
      thread.isEnded = true
      listener = undefined
      log.push("terminated")
    },
  }
  const machine = createThreadedMachine({
    thread,
    names: [],
    limits: { ...SANDBOX_LIMITS, cpuMs: 100 },
    clock,
    onCall: (id) => void log.push(`call ${id}`),
    onLog: (_level, text) => void log.push(`log ${text}`),
    onWaiting: () => void log.push("waiting"),
    onSettled: (_ok, json) => void log.push(`settled ${json}`),
    onFailed: ({ code }) => void log.push(`failed ${code}`),
    onOver: () => void log.push("over"),
  })
  const tell = (...messages: FromSandbox[]) => messages.forEach((message) => listener?.onMessage(message))
  return { machine, tell, clock, log, end: (reason: string) => listener?.onEnd(reason) }
}

const RUNNING: FromSandbox = { type: "running", leftMs: 100 }

describe("a script's engine in a thread", () => {
  it("holds the process while the script runs, and tells the outcome once the thread is free", () => {
    const { machine, tell, log, clock } = setUp()
    machine.start("1")
    tell(RUNNING, { type: "call", id: 0, name: "a", input: "" }, { type: "waiting" })
    machine.answer(0, true, "1")
    tell(RUNNING, { type: "settled", ok: true, json: "1" })
    expect(log).toEqual(["hold", "> start", "call 0", "let go", "waiting", "hold", "> answer"])
    tell({ type: "free" })
    expect(log.slice(7)).toEqual(["let go", "over", "settled 1"])
    expect(clock.pending).toBe(0)
  })

  it("is ended when the script runs on without a word", async () => {
    const { machine, tell, log, clock } = setUp()
    machine.start("1")
    tell(RUNNING)
    await clock.advance(100 + CPU_GRACE_MS - 1)
    expect(log).not.toContain("terminated")
    await clock.advance(2)
    expect(log.slice(2)).toEqual(["let go", "terminated", "over", "failed limit"])
  })

  it("is not ended when it has said something that this side was too busy to hear", async () => {
    const due = new Map<number, () => void>()
    let handles = 0
    const clock = { ...createFakeClock(), setTimeout: (callback: () => void) => (due.set(++handles, callback), handles), clearTimeout: (handle: unknown) => void due.delete(handle as number) }
    /** All that are due, new ones too, as Node does it. */
    const runTimers = (): void =>
      due.forEach((callback, handle) => {
        due.delete(handle)
        callback()
      })
    const { machine, tell, log } = setUp(clock)
    machine.start("1")
    tell(RUNNING)
    runTimers()
    tell({ type: "waiting" })
    await turn()
    runTimers()
    expect(log).toEqual(["hold", "> start", "let go", "waiting"])
    machine.answer(0, true, "1")
    tell(RUNNING)
    runTimers()
    await turn()
    runTimers()
    expect(log.slice(-3)).toEqual(["terminated", "over", "failed limit"])
  })

  it("is ended, and the script's outcome holds, when what it left to run never ends", async () => {
    const { machine, tell, log, clock } = setUp()
    machine.start("1")
    tell(RUNNING, { type: "settled", ok: true, json: "5" })
    await clock.advance(100 + CPU_GRACE_MS + 1)
    expect(log.slice(2)).toEqual(["let go", "terminated", "over", "settled 5"])
  })

  it("waits only for the last of several answers", () => {
    const { machine, tell, log } = setUp()
    machine.start("1")
    tell(RUNNING, { type: "waiting" })
    machine.answer(0, true, "1")
    machine.answer(1, true, "1")
    tell(RUNNING, { type: "waiting" })
    expect(log.filter((line) => line === "waiting")).toHaveLength(1)
    tell(RUNNING, { type: "waiting" })
    expect(log.filter((line) => line === "waiting")).toHaveLength(2)
  })

  it("given up while it waits is freed, while it runs is ended, and tells nothing but that", async () => {
    const waits = setUp()
    waits.machine.start("1")
    waits.tell(RUNNING, { type: "waiting" })
    waits.machine.end()
    waits.machine.answer(0, true, "1")
    waits.tell({ type: "free" })
    expect(waits.log.slice(-4)).toEqual(["hold", "> dispose", "let go", "over"])

    const runs = setUp()
    runs.machine.start("1")
    runs.tell(RUNNING)
    runs.machine.end()
    runs.tell({ type: "log", level: "info", text: "late" })
    expect(runs.log.slice(-3)).toEqual(["let go", "terminated", "over"])

    const hangs = setUp()
    hangs.machine.start("1")
    hangs.tell(RUNNING, { type: "waiting" })
    hangs.machine.end()
    await hangs.clock.advance(CPU_GRACE_MS + 1)
    expect(hangs.log.slice(-3)).toEqual(["let go", "terminated", "over"])
  })

  it("whose thread ends by itself is over, with a reason", () => {
    const { machine, tell, log, end } = setUp()
    machine.start("1")
    tell(RUNNING)
    end("out of memory")
    expect(log.slice(-2)).toEqual(["over", "failed limit"])
  })
})
