import { type Some, withDefaults } from "../../lib/withDefaults.ts"

export interface SandboxLimits {
  /** The script's heap, in bytes; what it logs and asks of actions without waiting counts by itself, up to as much. `@default` 33554432 (32 MiB) */
  readonly memoryBytes: number
  /**
   * How long it may run by itself, in milliseconds by the clock on the wall; waiting for actions does not count. The engine looks every few thousand steps of the
   * script, and within no built-in function; a script that does not come back from one (`indexOf` of an object whose `length` is 2**53, a
   * pattern that backtracks for ever) is ended with its worker, {@link CPU_GRACE_MS} later. With `worker: false` nothing ends that one. `@default` 1000
   */
  readonly cpuMs: number
  /** How long it may take in all, in milliseconds, actions included; an interrupt stops the time. `@default` 60000 */
  readonly timeoutMs: number
  /** How many actions it may call. `@default` 100 */
  readonly calls: number
  /**
   * How many scripts of the sandbox run at once, each in a worker of its own and with up to `memoryBytes`. More wait for their turn, first come first, for `timeoutMs` at
   * most. One that waits for a person lets another run, and goes on before those that have not begun. `@default` 8: they wait for actions most of the time
   */
  readonly running: number
  /**
   * How many scripts of the sandbox there are that are not over: those that run, wait for their turn, or wait for a person, whose workers are held. Beyond it `run` rejects
   * at once, `unavailable`. `@default` 32
   */
  readonly unfinished: number
}

export const SANDBOX_LIMITS: SandboxLimits = Object.freeze({ memoryBytes: 32 * 1024 * 1024, cpuMs: 1_000, timeoutMs: 60_000, calls: 100, running: 8, unfinished: 32 })

/** Less does not hold the language itself, in bytes. */
const MIN_MEMORY_BYTES: number = 1024 * 1024

/** What an engine gets beyond `cpuMs` to say by itself that the time is over, and to free what the script held, in milliseconds. */
export const CPU_GRACE_MS = 250

/** @throws RangeError for limits that are no positive numbers, or less memory than 1 MiB */
export function sandboxLimits(given: Some<SandboxLimits> | undefined): SandboxLimits {
  const limits = withDefaults(SANDBOX_LIMITS, given)
  for (const [name, value] of Object.entries(limits) as [string, number][]) {
    const least = name === "memoryBytes" ? MIN_MEMORY_BYTES : 1
    if (!(value >= least)) throw new RangeError(`The sandbox's limit ${name} must be at least ${least}, not ${value}.`)
  }
  return limits
}
