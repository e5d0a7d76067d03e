import type { QuickJSWASMModule } from "quickjs-emscripten"
import { type Clock, systemClock } from "../lib/clock.ts"
import type { JsonValue } from "../tool/toolSpec.ts"
import { optionalPackage } from "./optionalPackage.ts"
import { SCRIPT_NAME } from "./sandboxPrelude.ts"
import { createScriptRun } from "./scriptRun.ts"
import type { Tool, ToolContext } from "./tool.ts"
import { ToolError } from "./toolError.ts"
import { checkToolMap } from "./toolMap.ts"

export interface SandboxLimits {
  /** The script's heap, in bytes. `@default` 33554432 (32 MiB) */
  readonly memoryBytes: number
  /**
   * How long it may run by itself, in milliseconds; waiting for actions does not count. The engine looks every few thousand steps of the
   * script, and within no built-in function: one on huge data (`indexOf` of an object whose `length` is 2**53) holds the thread as long as
   * it takes. Run scripts of people whom you do not trust in a worker that you can end. `@default` 1000
   */
  readonly cpuMs: number
  /** How long it may take in all, in milliseconds, actions included; an interrupt stops the time. `@default` 60000 */
  readonly timeoutMs: number
  /** How many actions it may call. `@default` 100 */
  readonly calls: number
}

export const SANDBOX_LIMITS: SandboxLimits = Object.freeze({ memoryBytes: 32 * 1024 * 1024, cpuMs: 1_000, timeoutMs: 60_000, calls: 100 })

/** Less does not hold the language itself, in bytes. */
const MIN_MEMORY_BYTES: number = 1024 * 1024

export interface SandboxOptions {
  /** Each becomes a global function of the script, by its key: in process or over HTTP. */
  readonly actions: Readonly<Record<string, Tool>>
  /** @default {@link SANDBOX_LIMITS} */
  readonly limits?: Partial<SandboxLimits> | undefined
  /** @default the system's */
  readonly clock?: Clock | undefined
}

/** Engines that a script broke: what it left could not be freed, and nothing more may run there. */
const broken = new WeakSet<QuickJSWASMModule>()

/** How far a script came. */
export type SandboxResult =
  /** It ran to its end; `value` is that of its last statement, undefined for what JSON leaves out, such as a function. */
  | { readonly status: "completed"; readonly value: JsonValue | undefined }
  /** An action waits for somebody, and the script for the action. Its memory is held until one of the two functions is called. */
  | {
      readonly status: "interrupted"
      /** The key of the action. */
      readonly tool: string
      /** What is asked, for a person. */
      readonly message: string
      readonly data: unknown
      /** Gives the answer to the action and goes on. Once. */
      resume(answer: unknown): Promise<SandboxResult>
      /** Gives the script up. */
      cancel(): void
    }

/**
 * Runs scripts that call actions, apart from everything else: QuickJS compiled to WebAssembly, in Node and in browsers. A script sees the
 * language, the actions and a `console`, and nothing of the page or the process. Needs the package `quickjs-emscripten`.
 *
 * @example
 * const sandbox = new Sandbox({ actions: await registry.toTools() })
 * const result = await sandbox.run("await demoAdd({ a: 1, b: 2 })", { logger: console })
 */
export class Sandbox {
  readonly #options: Omit<SandboxOptions, "limits"> & { readonly limits: SandboxLimits }
  #own: Promise<QuickJSWASMModule> | undefined

  /** @throws TypeError without a map of tools; RangeError for limits that are no positive numbers, or less memory than 1 MiB */
  constructor(options: SandboxOptions) {
    checkToolMap("new Sandbox needs actions", (options as SandboxOptions | undefined)?.actions)
    const limits = { ...SANDBOX_LIMITS, ...options.limits }
    for (const [name, value] of Object.entries<number>(limits)) {
      const least = name === "memoryBytes" ? MIN_MEMORY_BYTES : 1
      if (!(value >= least)) throw new RangeError(`The sandbox's limit ${name} must be at least ${least}, not ${value}.`)
    }
    this.#options = { ...options, limits }
  }

  /**
   * Runs a script in an engine of its own. At its end the actions that it called and did not await are aborted.
   *
   * @param code - The body of a script; `await` may stand at its top.
   * @param context - What each action is told; `signal` gives the script up.
   * @throws ToolError `limit`, `aborted`, `failed` for what the script threw, or a value that is no JSON (a cycle, a BigInt); the action's own where the script did not catch that one,
   * `bad_name` for a key that no script can call, `not_installed`
   */
  async run(code: string, context: ToolContext): Promise<SandboxResult> {
    const { actions, limits, clock = systemClock } = this.#options
    const quickjs = await this.#engine()
    if (context.signal?.aborted) throw new ToolError("aborted", SCRIPT_NAME, "the caller gave up before it began", { cause: context.signal.reason })
    return createScriptRun({ quickjs, actions, limits, clock, context, onBroken: () => broken.add(quickjs) }).start(code)
  }

  /** The one that all share, as long as no script has broken it. */
  async #engine(): Promise<QuickJSWASMModule> {
    const { getQuickJS, newQuickJSWASMModule } = await optionalPackage("quickjs-emscripten", () => import("quickjs-emscripten"))
    const engine = await (this.#own ?? getQuickJS())
    if (!broken.has(engine)) return engine
    this.#own = newQuickJSWASMModule()
    return this.#own
  }
}
