import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from "quickjs-emscripten-core"
import { reasonOf } from "../../tool/reason.ts"
import { isCallable } from "../actionNames.ts"
import { SANDBOX_PRELUDE, SCRIPT_NAME } from "./sandboxPrelude.ts"
import { ranTooLong, withPlace } from "./scriptError.ts"
import { ToolError } from "../toolError.ts"

/** `JS_EVAL_FLAG_ASYNC` of quickjs.h: `await` at the top, and the value of the last statement. */
const EVAL_ASYNC = 1 << 7

/** `JS_EVAL_FLAG_COMPILE_ONLY` of quickjs.h: nothing runs. */
const EVAL_COMPILE_ONLY = 1 << 5

/** What QuickJS says of a `return` at the top of a script. */
const RETURN_OUTSIDE = "return not in a function"

/** What a script that returns is put behind, on its first line. */
const FUNCTION_BEGINS = "await (async () => {"

/** Before what is only compiled, as long as the other. What closes the function of one by itself is no code in the other. */
const COMPILED_BEGINS = "async function f() {"

/** Places of such a script as its author counts them, in a text or in JSON. */
const placesWithin = (text: string): string =>
  text.replace(/(script\.js:1:)(\d+)/g, (_place, line: string, column: string) => line + String(Math.max(Number(column) - FUNCTION_BEGINS.length, 1)))

/** The stack of scripts in bytes: a recursion ends well before it overflows the host's own. */
const STACK_BYTES: number = 256 * 1024

/** All that a WebAssembly of 32 bits can address, in bytes; above it the engine would take the rest of a division for its limit. */
const MAX_HEAP_BYTES: number = 2 ** 32 - 1

export interface MachineOptions {
  readonly quickjs: QuickJSWASMModule
  readonly names: readonly string[]
  /** The script's heap, in bytes. */
  readonly memoryBytes: number
  /** How long it may run by itself, in milliseconds: waiting for tools does not count. */
  readonly cpuMs: number
  /** The script begins to run until it waits, and may for so long, in milliseconds. */
  onBurst(leftMs: number): void
  /** The script calls an action; the answer goes to `answer` with the same id. */
  onCall(id: number, name: string, input: string): void
  /** The script is over: with the JSON of its value, or of what it threw. */
  onSettled(ok: boolean, json: string): void
  onLog(level: string, text: string): void
}

/** An engine of its own for one script. Only texts go in and out. */
export interface Machine {
  /** @throws ToolError `limit`, or `failed` for a syntax error */
  start(code: string): void
  /** Answers a call, and lets the script go on. @throws ToolError `limit` */
  answer(id: number, ok: boolean, json: string): void
  /** Lets the script run no further: what it does until the engine looks comes to nothing. */
  stop(): void
  /** Frees its memory; nothing else may be called after. @throws whatever the engine throws where it cannot */
  dispose(): void
}

export function createMachine({ quickjs, names, memoryBytes, cpuMs, onBurst, onCall, onSettled, onLog }: MachineOptions): Machine {
  const runtime = quickjs.newRuntime()
  runtime.setMemoryLimit(Math.min(memoryBytes, MAX_HEAP_BYTES))
  runtime.setMaxStackSize(STACK_BYTES)
  const vm = runtime.newContext()
  let spentMs = 0
  /** Making the engine, before the first burst, is not the script's time. */
  let begun = Infinity
  let isOver = false
  /** The engine itself threw: what state it is in nobody knows. */
  let isBroken = false
  let isInFunction = false
  runtime.setInterruptHandler(() => (isOver ||= spentMs + performance.now() - begun > cpuMs))

  /** Lets the script run until it waits, and counts its time. */
  function burst(task: () => void): void {
    let failure: unknown
    onBurst(Math.max(cpuMs - spentMs, 0))
    begun = performance.now()
    try {
      task()
      const jobs = runtime.executePendingJobs()
      const problem = jobs.error && describe(jobs.error)
      jobs.dispose()
      if (problem !== undefined) failure = failureOf(problem)
    } catch (thrown) {
      isBroken ||= !(thrown instanceof ToolError)
      failure = isBroken ? new ToolError("limit", SCRIPT_NAME, `the script made something that the engine cannot hold (${reasonOf(thrown)})`, { cause: thrown }) : thrown
    }
    spentMs += performance.now() - begun
    if (isOver && !isBroken) failure = ranTooLong(cpuMs)
    if (failure !== undefined) throw failure as Error
  }

  /** Without memory for it, an error has no message. */
  const failureOf = (problem: string): ToolError =>
    /out of memory|no message$/.test(problem)
      ? new ToolError("limit", SCRIPT_NAME, `the script ran out of memory (${memoryBytes} bytes): ${problem}`)
      : new ToolError("failed", SCRIPT_NAME, problem)

  /** What was thrown, as text; nothing runs for it. */
  function describe(error: QuickJSHandle): string {
    const { name, message } = (vm.dump(error) ?? {}) as { name?: string; message?: string }
    return `${name ?? "Error"}: ${message ?? "no message"}`
  }

  function call(target: QuickJSHandle, ...args: QuickJSHandle[]): QuickJSHandle {
    const result = vm.callFunction(target, vm.undefined, ...args)
    for (const arg of args) arg.dispose()
    if (!result.error) return result.value
    const problem = describe(result.error)
    result.error.dispose()
    throw failureOf(problem)
  }

  const prelude = evaluate(vm, SANDBOX_PRELUDE, 0)
  if ("error" in prelude) throw failureOf(describe(prelude.error))
  let nextId = 0
  const hooks = [
    vm.newFunction("call", (name, input) => {
      const id = nextId++
      onCall(id, vm.getString(name), vm.getString(input))
      return vm.newNumber(id)
    }),
    vm.newFunction("settle", (ok, json) => {
      // That it was stopped is told by what let it run.
      if (isOver) return
      const isOk = vm.dump(ok) === true
      const text = vm.getString(json)
      onSettled(isOk, isInFunction && !isOk ? placesWithin(text) : text)
    }),
    vm.newFunction("log", (level, text) => onLog(vm.getString(level), vm.getString(text))),
    vm.newString(JSON.stringify(names)),
  ]
  const made = call(prelude.value, ...hooks)
  const [answer, watch, clash] = (["answer", "watch", "clash"] as const).map((key) => vm.getProp(made, key)) as [QuickJSHandle, QuickJSHandle, QuickJSHandle]
  const clashing = vm.dump(clash) as string | null
  for (const handle of [prelude.value, made, clash]) handle.dispose()

  const machine: Machine = {
    start(code) {
      burst(() => {
        let result = evaluate(vm, code, EVAL_ASYNC)
        // Nothing of it has run. In a function the value is what is returned, so that is no way for scripts without one.
        if ("error" in result && describe(result.error).endsWith(RETURN_OUTSIDE)) {
          result.error.dispose()
          isInFunction = true
          result = evaluate(vm, `${COMPILED_BEGINS}${code}\n}`, EVAL_ASYNC | EVAL_COMPILE_ONLY)
          if ("value" in result) {
            result.value.dispose()
            result = evaluate(vm, `${FUNCTION_BEGINS}${code}\n})()`, EVAL_ASYNC)
          }
        }
        if ("value" in result) call(watch, result.value).dispose()
        else {
          const problem = describe(result.error)
          const { stack } = (vm.dump(result.error) ?? {}) as { stack?: unknown }
          result.error.dispose()
          throw failureOf(withPlace(problem, isInFunction ? placesWithin(String(stack)) : stack))
        }
      })
    },
    answer(id, ok, json) {
      burst(() => call(answer, vm.newNumber(id), ok ? vm.true : vm.false, vm.newString(json)).dispose())
    },
    stop() {
      isOver = true
    },
    dispose() {
      isOver = true
      if (isBroken) throw new Error("The engine is broken.")
      for (const handle of [answer, watch]) handle.dispose()
      vm.dispose()
      runtime.dispose()
    },
  }
  const bad = clashing ?? names.find((name) => !isCallable(name))
  if (bad !== undefined) {
    machine.dispose()
    throw new ToolError("bad_name", bad, `no script can call an action by the name ${JSON.stringify(bad)}, or it would hide what scripts need; give the map another key`)
  }
  return machine
}

type Evaluated = { readonly value: QuickJSHandle } | { readonly error: QuickJSHandle }

function evaluate(vm: QuickJSContext, code: string, flags: number): Evaluated {
  const { value, error } = vm.evalCode(code, `${SCRIPT_NAME}.js`, flags) as { value?: QuickJSHandle; error?: QuickJSHandle }
  return error ? { error } : { value: value as QuickJSHandle }
}
