import type { Clock, TimerHandle } from "../../lib/clock.ts"
import { turn } from "../../lib/turn.ts"
import { CPU_GRACE_MS, type SandboxLimits } from "./sandboxLimits.ts"
import type { FromSandbox } from "./sandboxMessages.ts"
import { SCRIPT_NAME } from "./sandboxPrelude.ts"
import { NO_LISTENER, type SandboxThread } from "./sandboxThread.ts"
import { ranTooLong } from "./scriptError.ts"
import { ToolError } from "../toolError.ts"

export interface ThreadedMachineOptions {
  readonly thread: SandboxThread
  readonly names: readonly string[]
  readonly limits: SandboxLimits
  /** The machine's own, as it is real work that is watched. */
  readonly clock: Clock
  onCall(id: number, name: string, input: string): void
  onLog(level: string, text: string): void
  /** The script waits, and has heard every answer that it was given. */
  onWaiting(): void
  onSettled(ok: boolean, json: string): void
  /** It broke a limit, or could not even begin. */
  onFailed(error: ToolError): void
  /** The thread is free for another script, or has ended. */
  onOver(): void
}

/** A script's engine in a thread, seen from outside. */
export interface ThreadedMachine {
  /** As `onWaiting` tells it. */
  readonly isWaiting: boolean
  start(code: string): void
  answer(id: number, ok: boolean, json: string): void
  /** Gives the script up, or lets go of one that is over. Nothing is told of it any more but `onOver`, once. */
  end(): void
}

/** Watches what the engine cannot watch by itself: it looks at no time within a built-in function. */
export function createThreadedMachine({ thread, names, limits, clock, onCall, onLog, onWaiting, onSettled, onFailed, onOver }: ThreadedMachineOptions): ThreadedMachine {
  /** What was posted and is not done. */
  let busy = 0
  let watch: TimerHandle
  let isEnded = false
  /** What the script came to. It is told once the thread is free, so that the caller's next script finds it. */
  let outcome: (() => void) | undefined

  function post(message: Parameters<SandboxThread["post"]>[0]): void {
    if (busy++ === 0) thread.hold()
    thread.post(message)
  }

  /**
   * Calls back when the script has run for `ms` without a word, milliseconds. First comes in what was said while this side was busy: a timer
   * alone would not do, since Node runs all that are due, new ones too, before it hears anything.
   */
  function watchFor(ms: number): void {
    clock.clearTimeout(watch)
    const timer = clock.setTimeout(() => {
      void turn().then(() => {
        if (watch === timer) watch = clock.setTimeout(overdue, 0)
      })
    }, ms)
    watch = timer
  }

  function unwatch(): void {
    clock.clearTimeout(watch)
    watch = undefined
  }

  function overdue(): void {
    outcome ??= () => onFailed(ranTooLong(limits.cpuMs))
    over(true)
  }

  function done(): void {
    unwatch()
    if (--busy === 0) thread.letGo()
  }

  /** Lets go of the thread. */
  function over(isUseless: boolean): void {
    unwatch()
    thread.letGo()
    if (isUseless) thread.terminate()
    else thread.listen(NO_LISTENER)
    onOver()
    if (!isEnded) outcome?.()
  }

  function onMessage(message: FromSandbox): void {
    if (message.type === "running") return watchFor(message.leftMs + CPU_GRACE_MS)
    if (message.type === "free" || message.type === "broken") return over(message.type === "broken")
    if (message.type === "waiting") done()
    if (isEnded) return
    if (message.type === "call") onCall(message.id, message.name, message.input)
    else if (message.type === "log") onLog(message.level, message.text)
    else if (message.type === "waiting" && busy === 0) onWaiting()
    else if (message.type === "settled") outcome = () => onSettled(message.ok, message.json)
    else if (message.type === "failed") outcome = () => onFailed(new ToolError(message.code, message.tool, message.problem))
  }

  thread.listen({
    onMessage,
    onEnd(reason) {
      outcome ??= () => onFailed(new ToolError("limit", SCRIPT_NAME, `the script made its worker end (${reason})`))
      over(true)
    },
  })

  return {
    get isWaiting() {
      return busy === 0
    },
    start(code) {
      const { memoryBytes, cpuMs, calls } = limits
      post({ type: "start", code, names, limits: { memoryBytes, cpuMs, calls } })
    },
    answer(id, ok, json) {
      if (!isEnded) post({ type: "answer", id, ok, json })
    },
    end() {
      if (isEnded) return
      isEnded = true
      // It is being freed already.
      if (outcome) return
      // In the middle of something, who knows of what.
      if (busy > 0) return over(true)
      post({ type: "dispose" })
      watchFor(CPU_GRACE_MS)
    },
  }
}
