import { createWorker } from "#createWorker"
import { type Clock, systemClock } from "../../lib/clock.ts"
import { createDeferred } from "../../lib/deferred.ts"
import { expectType } from "../../lib/expectType.ts"
import { onAbort } from "../../lib/signals.ts"
import type { Some } from "../../lib/withDefaults.ts"
import { type SandboxLimits, sandboxLimits } from "./sandboxLimits.ts"
import { SCRIPT_NAME } from "./sandboxPrelude.ts"
import type { SandboxResult } from "./sandboxResult.ts"
import type { SandboxThread } from "./sandboxThread.ts"
import { createSandboxThreads, type SandboxThreads } from "./sandboxThreads.ts"
import type { SandboxWorker } from "./sandboxWorkerType.ts"
import { createScriptRun } from "./scriptRun.ts"
import { createScriptTurns, type ScriptTurn, type ScriptTurns } from "./scriptTurns.ts"
import type { Tool, ToolContext } from "../tool.ts"
import { ToolError } from "../toolError.ts"
import { checkToolMap } from "../toolMap.ts"
import { untilAborted } from "../untilAborted.ts"
import { openWorkerThread } from "./workerThread.ts"

export interface SandboxOptions {
  /** Each becomes a global function of the script, by its key: in process or over HTTP. */
  readonly actions: Readonly<Record<string, Tool>>
  /** @default {@link SANDBOX_LIMITS} */
  readonly limits?: Some<SandboxLimits> | undefined
  /**
   * Makes the worker that scripts run in, once for each that is needed: for where the one that this package brings is not found (a bundler that
   * does not know `new Worker(new URL(...))`, scripts from another origin). It runs `react-tool-client/sandbox-worker`, as a module or bundled, and
   * is the sandbox's own, which ends it. `false` runs scripts in the thread of the caller: a long built-in function then holds the page or the process
   * as long as it takes, whatever the limits; only for scripts that you would run there anyway. `@default` the package's own worker
   */
  readonly worker?: (() => SandboxWorker | Promise<SandboxWorker>) | false | undefined
  /** @default the system's */
  readonly clock?: Clock | undefined
}

/**
 * Runs scripts that call actions, apart from everything else: QuickJS compiled to WebAssembly, in a worker, on Node and in browsers. A script sees the
 * language, the actions and a `console`, and nothing of the page, the process or the worker, which is ended when the script does not come back in time.
 * Scripts that run at once have a worker each, eight at most where `limits` says nothing else, and more wait for their turn; one that is free is kept for the sandbox's next script, for 30 seconds, and holds no process up.
 * Needs the packages `quickjs-emscripten-core` and `@jitl/quickjs-wasmfile-release-sync`.
 *
 * @example
 * const sandbox = new Sandbox({ actions: await registry.toTools() })
 * const result = await sandbox.run("await demoAdd({ a: 1, b: 2 })", { logger: console })
 */
export class Sandbox {
  readonly #actions: Readonly<Record<string, Tool>>
  readonly #limits: SandboxLimits
  readonly #clock: Clock
  readonly #threads: SandboxThreads
  readonly #turns: ScriptTurns

  /** @throws TypeError without a map of tools, or for a worker that is none; RangeError for limits that are no positive numbers, or less memory than 1 MiB */
  constructor(options: SandboxOptions) {
    checkToolMap("new Sandbox needs actions", (options as SandboxOptions | undefined)?.actions)
    const { actions, limits, clock = systemClock, worker = createWorker } = options
    if (worker !== false && typeof worker !== "function") throw new TypeError("A sandbox's worker must be a function that makes one, or false.")
    this.#actions = actions
    this.#limits = sandboxLimits(limits)
    this.#clock = clock
    this.#turns = createScriptTurns(this.#limits)
    this.#threads = createSandboxThreads(async () => {
      if (worker) return openWorkerThread(worker, systemClock)
      const { openLocalThread } = await import("./localThread.ts")
      return openLocalThread()
    })
  }

  /**
   * Runs a script in an engine of its own. At its end the actions that it called and did not await are aborted.
   *
   * @param code - The body of a script; `await` may stand at its top. Its value is that of its last statement, or what a `return` at its top gives.
   * @param context - What each action is told; `signal` gives the script up.
   * @throws ToolError `limit`, `aborted`, `failed` for what the script threw, or a value that is no JSON (a cycle, a BigInt); the action's own where the script did not catch that one,
   * `bad_name` for a key that no script can call, `not_installed`, `no_worker`, `unavailable` where too many scripts are not over or no turn came in time; TypeError for a script that is no text, or without a context
   */
  async run(code: string, context: ToolContext): Promise<SandboxResult> {
    expectType("A script", code, "a string")
    expectType("A script's context, { logger: console } at least,", context, "an object")
    const threads = this.#threads
    const turn = this.#turns.enter()
    let thread: SandboxThread
    try {
      await this.#begin(turn, context.signal)
      thread = await this.#take(context.signal)
    } catch (error) {
      turn.leave()
      throw error
    }
    const onOver = (): void => {
      threads.give(thread)
      turn.leave()
    }
    if (context.signal?.aborted) {
      onOver()
      throw gaveUp(context.signal)
    }
    return createScriptRun({ thread, turn, actions: this.#actions, limits: this.#limits, clock: this.#clock, context, onOver }).start(code)
  }

  /** Waits for the script's turn, unless the caller gives up, or it takes too long. */
  async #begin(turn: ScriptTurn, signal: AbortSignal | undefined): Promise<void> {
    const { timeoutMs, running } = this.#limits
    const begun = createDeferred<void>()
    turn.take(begun.resolve)
    const problem = `no turn came within ${timeoutMs} ms: ${running} scripts of this sandbox were running, the maximum (limit \`running\`); nothing has run, try again later`
    const timer = this.#clock.setTimeout(() => begun.reject(new ToolError("unavailable", SCRIPT_NAME, problem)), timeoutMs)
    const stop = onAbort(signal, () => begun.reject(gaveUp(signal)))
    try {
      await begun.promise
    } finally {
      this.#clock.clearTimeout(timer)
      stop()
    }
  }

  /** A thread, unless the caller gives up before there is one: it is kept for the next script then. */
  async #take(signal: AbortSignal | undefined): Promise<SandboxThread> {
    try {
      return await untilAborted(signal, async () => {
        const thread = await this.#threads.take()
        if (signal?.aborted) this.#threads.give(thread)
        return thread
      })
    } catch (error) {
      if (!signal?.aborted) throw error
      throw gaveUp(signal)
    }
  }
}

const gaveUp = (signal: AbortSignal | undefined): ToolError => new ToolError("aborted", SCRIPT_NAME, "the caller gave up before it started", { cause: signal?.reason })
