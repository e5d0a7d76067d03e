import type { QuickJSWASMModule } from "quickjs-emscripten-core"
import { reasonOf } from "../../tool/reason.ts"
import { createMachine, type Machine } from "./sandboxMachine.ts"
import type { FromSandbox, ToSandbox } from "./sandboxMessages.ts"
import { SCRIPT_NAME } from "./sandboxPrelude.ts"
import { ToolError } from "../toolError.ts"

/** What a message of a script weighs beside its text, in bytes: about what an engine needs to queue one. */
export const MESSAGE_BYTES: number = 128

/** The end of a sandbox that runs the scripts, one after the other, wherever it stands: in a worker, or in the thread of who asks. */
export interface ScriptServer {
  receive(message: ToSandbox): void
  /** Gives up what runs, in the middle of it too. */
  stop(): void
}

/** @param send - Called in the order of what happens, also in the middle of `receive`. */
export function createScriptServer(quickjs: QuickJSWASMModule, send: (message: FromSandbox) => void): ScriptServer {
  let machine: Machine | undefined
  let isBursting = false
  /** Of the script that is there: nothing more is told of it. */
  let isOver = false
  /** The engine threw by itself: what state it is in nobody knows. */
  let isBroken = false

  function over(last?: FromSandbox): void {
    if (isOver) return
    isOver = true
    machine?.stop()
    if (last) send(last)
  }

  function fail(thrown: unknown): void {
    isBroken ||= !(thrown instanceof ToolError)
    const { code, tool, problem } = thrown instanceof ToolError ? thrown : new ToolError("limit", SCRIPT_NAME, `the engine broke (${reasonOf(thrown)})`)
    over({ type: "failed", code, tool, problem })
  }

  function start({ code, names, limits: { memoryBytes, cpuMs, calls } }: ToSandbox & { readonly type: "start" }): void {
    let called = 0
    /** What it has said in this burst, in bytes: nobody can hear it before the burst ends, so it is memory, too. */
    let saidBytes = 0
    const say = (message: FromSandbox, text: string): void => {
      if (isOver) return
      saidBytes += text.length + MESSAGE_BYTES
      if (saidBytes > memoryBytes) fail(new ToolError("limit", SCRIPT_NAME, `the script logged and called more than fits into its memory (${memoryBytes} bytes) without waiting`))
      else send(message)
    }
    isOver = false
    machine = createMachine({
      quickjs,
      names,
      memoryBytes,
      cpuMs,
      onBurst(leftMs) {
        saidBytes = 0
        send({ type: "running", leftMs })
      },
      onCall(id, name, input) {
        say({ type: "call", id, name, input }, input)
        // The one too many is told, so that the other end says so.
        if (++called > calls) over()
      },
      onLog: (level, text) => say({ type: "log", level, text }, text),
      onSettled: (ok, json) => over({ type: "settled", ok, json }),
    })
    machine.start(code)
  }

  function free(): void {
    const last = machine
    machine = undefined
    try {
      last?.dispose()
    } catch {
      // Some scripts leave what the engine cannot free: it then aborts, and with it the memory of all is lost.
      isBroken = true
    }
    send({ type: isBroken ? "broken" : "free" })
  }

  return {
    receive(message) {
      // An answer that comes after the end.
      if (message.type !== "start" && !machine) return
      isBursting = true
      try {
        if (message.type === "start") start(message)
        else if (message.type === "answer") machine?.answer(message.id, message.ok, message.json)
        else over()
      } catch (thrown) {
        fail(thrown)
      }
      isBursting = false
      if (isOver) free()
      else send({ type: "waiting" })
    },
    stop() {
      over()
      if (!isBursting && machine) free()
    },
  }
}
