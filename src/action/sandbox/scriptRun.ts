import { callSafely, reportToConsole } from "../../lib/callSafely.ts"
import { type Clock, systemClock, type TimerHandle } from "../../lib/clock.ts"
import { createDeferred, type Deferred } from "../../lib/deferred.ts"
import { createGuardedController } from "../../lib/guardedController.ts"
import { onAbort } from "../../lib/signals.ts"
import { reasonOf } from "../../tool/reason.ts"
import type { JsonValue } from "../../tool/toolSpec.ts"
import type { SandboxLimits } from "./sandboxLimits.ts"
import { SCRIPT_NAME } from "./sandboxPrelude.ts"
import type { SandboxResult } from "./sandboxResult.ts"
import type { SandboxThread } from "./sandboxThread.ts"
import type { ScriptTurn } from "./scriptTurns.ts"
import { errorOfScript } from "./scriptError.ts"
import { createThreadedMachine } from "./threadedMachine.ts"
import type { Tool, ToolContext, ToolResumption } from "../tool.ts"
import { ToolError } from "../toolError.ts"
import { ToolInterrupt } from "../toolInterrupt.ts"

export interface ScriptRunOptions {
  /** Its own until `onOver`. */
  readonly thread: SandboxThread
  /** Taken; its own until `onOver`. */
  readonly turn: ScriptTurn
  readonly actions: Readonly<Record<string, Tool>>
  readonly limits: SandboxLimits
  readonly clock: Clock
  readonly context: ToolContext
  /** The thread is free for another script, or has ended. */
  onOver(): void
}

interface Call {
  readonly id: number
  readonly name: string
  /** Empty for undefined. */
  readonly json: string
}

/** One script from its start to its end, with the pauses between. */
export function createScriptRun({ thread, turn, actions, limits, clock, context, onOver }: ScriptRunOptions): { start(code: string): Promise<SandboxResult> } {
  /** One for each call under way, since many listeners on one signal look like a leak. */
  const controllers = new Set<AbortController>()
  const interrupted: { readonly call: Call; readonly interrupt: ToolInterrupt }[] = []
  let inFlight = 0
  let calls = 0
  /** What the one who waits gets; a new one for each leg. */
  let leg: Deferred<SandboxResult> = createDeferred()
  let timer: TimerHandle
  /** What there is of `timeoutMs`, without the time that somebody is asked, in milliseconds; as it was when the timer was set. */
  let leftMs = limits.timeoutMs
  let timedSince = 0
  let isDone = false

  const tools = new Map(Object.entries(actions))
  const machine = createThreadedMachine({
    thread,
    names: [...tools.keys()],
    limits,
    clock: systemClock,
    onOver,
    onCall(id, name, json) {
      if (++calls > limits.calls) end(() => leg.reject(new ToolError("limit", SCRIPT_NAME, `the script called more than ${limits.calls} actions`)))
      else void perform({ id, name, json })
    },
    onLog(level, text) {
      const { logger } = context
      const known = level === "debug" || level === "warn" || level === "error" ? level : "info"
      callSafely((said) => logger[known](said), text, reportToConsole)
    },
    onWaiting: advance,
    onSettled(ok, json) {
      end(() => (ok ? leg.resolve({ status: "completed", value: json === "" ? undefined : (JSON.parse(json) as JsonValue) }) : leg.reject(errorOfScript(json))))
    },
    onFailed: (error) => end(() => leg.reject(error)),
  })
  const stopListening = onAbort(context.signal, () => {
    const cause: unknown = context.signal?.reason
    end(() => leg.reject(new ToolError("aborted", SCRIPT_NAME, "the caller gave up; actions may have run", { cause })))
  })

  /** Tells of the end once. */
  function end(tell: () => void): void {
    if (isDone) return
    isDone = true
    clock.clearTimeout(timer)
    stopListening()
    machine.end()
    try {
      tell()
    } catch (cause) {
      leg.reject(new ToolError("failed", SCRIPT_NAME, "the script's result could not be read", { cause }))
    }
    for (const controller of controllers) controller.abort(new ToolError("aborted", SCRIPT_NAME, "the script is over"))
  }

  /** Sees whether the script, which waits, must wait for somebody. */
  function advance(): void {
    if (isDone || inFlight > 0) return
    const next = interrupted.shift()
    if (next) pause(next.call, next.interrupt)
    else end(() => leg.reject(new ToolError("failed", SCRIPT_NAME, "the script waits for ever: none of the actions that it called is running")))
  }

  async function perform(call: Call, resumption?: ToolResumption): Promise<void> {
    inFlight++
    const controller = createGuardedController(reportToConsole)
    controllers.add(controller)
    let answer: { readonly ok: boolean; readonly json: string } | undefined
    try {
      const tool = tools.get(call.name)
      if (!tool) throw new ToolError("not_found", call.name, "there is no such action")
      const input: unknown = call.json === "" ? undefined : JSON.parse(call.json)
      const value = await tool.execute(input, { ...context, signal: controller.signal, resumption })
      answer = { ok: true, json: value === undefined ? "" : JSON.stringify(value) }
    } catch (thrown) {
      if (thrown instanceof ToolInterrupt) interrupted.push({ call, interrupt: thrown })
      else answer = { ok: false, json: jsonOfError(thrown) }
    }
    controllers.delete(controller)
    inFlight--
    if (answer && answer.json.length > limits.memoryBytes) end(() => leg.reject(tooLarge(call, answer.json.length)))
    else if (answer) machine.answer(call.id, answer.ok, answer.json)
    else if (machine.isWaiting) advance()
  }

  /** Never sent: an engine's own memory only grows, and a kept worker would keep it. */
  const tooLarge = ({ name }: Call, length: number): ToolError =>
    new ToolError("limit", SCRIPT_NAME, `what ${name} gave (${length} characters) does not fit into the script's memory (${limits.memoryBytes} bytes)`)

  function pause(call: Call, { message, data, state }: ToolInterrupt): void {
    clock.clearTimeout(timer)
    leftMs -= Math.max(clock.now() - timedSince, 0)
    let isAnswered = false
    const paused = leg
    turn.pause()
    paused.resolve({
      status: "interrupted",
      tool: call.name,
      message,
      data,
      resume(answer) {
        if (isAnswered || isDone) return Promise.reject(new ToolError("failed", call.name, "this interrupt was already answered, or its script was given up"))
        isAnswered = true
        leg = createDeferred()
        startTimer()
        turn.take(() => void (isDone || perform(call, { state, answer })))
        return leg.promise
      },
      cancel() {
        isAnswered = true
        // Somebody may wait for what an answer led to.
        end(() => leg.reject(new ToolError("aborted", SCRIPT_NAME, "the script was cancelled; actions may have run")))
      },
    })
  }

  function startTimer(): void {
    timedSince = clock.now()
    timer = clock.setTimeout(
      () => end(() => leg.reject(new ToolError("limit", SCRIPT_NAME, `the script took longer than ${limits.timeoutMs} ms with its actions`))),
      leftMs,
    )
  }

  return {
    start(code) {
      const { promise } = leg
      startTimer()
      machine.start(code)
      return promise
    },
  }
}

function jsonOfError(thrown: unknown): string {
  if (!(thrown instanceof ToolError)) return JSON.stringify({ name: "Error", message: reasonOf(thrown) })
  const { name, message, code, tool, problem, issues } = thrown
  return JSON.stringify({ name, message, code, tool, problem, issues })
}
