import type { ErrorHandler } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { notice } from "../lib/notice.ts"
import { createDeferred } from "../lib/deferred.ts"
import { createGuardedController } from "../lib/guardedController.ts"
import { answerOfThrown, errorAnswer, limitAnswer, toAnswer } from "../tool/answer.ts"
import { readArguments } from "../tool/arguments.ts"
import { reasonOf } from "../tool/reason.ts"
import { droppedAdvice, lostNumberAdvice, resultAdvice } from "../tool/resultAdvice.ts"
import type { AnyTool } from "../tool/tool.ts"
import type { CallProgress, ToolCall } from "../tool/toolCall.ts"
import type { ToolAnswer } from "../tool/toolSpec.ts"
import type { CallQueue } from "./callQueue.ts"
import type { CallRecord } from "./calls.ts"
import { createCallTimer, type CallTimer } from "./callTimer.ts"
import type { Declaration, ToolSource } from "./declaration.ts"
import type { Dispatch } from "./port.ts"

/** `call.signal` aborts this long before the server's deadline, and never earlier than a tenth of it. */
export const ABORT_MARGIN_MS = 10_000

/** An aborted tool has this long, in milliseconds, to come back with an answer of its own (what it has so far); then the model is told without it. */
export const ABORT_GRACE_MS = 1_000

export interface RunningCallOptions {
  readonly dispatch: Dispatch
  /** The arguments as people and `call.arguments` show them: what the tool does to its own changes nothing here. */
  readonly sent: unknown
  readonly clock: Clock
  readonly declaration: Declaration
  readonly queue: CallQueue
  /** Waits for `other`, but not for long; never rejects. */
  briefly(other: Promise<unknown> | undefined): Promise<void> | undefined
  onChange(callId: string, change: (call: CallRecord) => CallRecord): void
  /** The tool said how far it is. */
  onProgress(progress: CallProgress): void
  /** Hears what a listener of `call.signal` throws. */
  readonly onError: ErrorHandler
}

/** One call from its dispatch to its answer. */
export interface RunningCall {
  readonly callId: string
  /** Milliseconds since the epoch, by this client's clock. */
  readonly deadline: number
  /** Whether `execute` was called. */
  readonly isStarted: boolean
  readonly isUnwanted: boolean
  /** Aborts when nobody wants the answer. */
  readonly unwanted: AbortSignal
  /**
   * Looks up, validates, executes; never rejects. Dismissed, it comes back at once, with what is to be known of it.
   *
   * @param known - What it was answered before, or will be: then nothing runs.
   */
  run(known?: ToolAnswer | Promise<ToolAnswer>): Promise<ToolAnswer>
  /** Aborts once the deadline has come: a timer that slept along with its machine comes too late. */
  checkDeadline(): void
  /** Nobody wants the answer: aborts without one. */
  dismiss(reason: string): void
  end(): void
}

export function createRunningCall(options: RunningCallOptions): RunningCall {
  const { dispatch, clock, declaration, queue } = options
  const { callId, tool: name, deadlineMs } = dispatch
  const deadline = clock.now() + deadlineMs
  const controller = createGuardedController(options.onError)
  const unwanted = new AbortController()
  const aborted = createDeferred<ToolAnswer>()
  const change = (next: (call: CallRecord) => CallRecord): void => options.onChange(callId, next)
  let isStarted = false
  let committed: ToolSource["committed"]
  let timer: CallTimer | undefined
  let graceTimer: unknown

  /** What the model is told of a call that was aborted; whether it may have had its effect is what it must know. */
  const abortText = (): string =>
    `The call of "${name}" was aborted: ${reasonOf(controller.signal.reason)}. ${isStarted ? "It may have run in part." : "It did not run."}`

  /** A tool that heeds its signal mostly throws what it was aborted with; anything else is its own word on where it stopped. */
  function answerOfAborted(thrown: unknown): ToolAnswer {
    const { signal } = controller
    const isEcho = thrown === signal.reason || /^(Abort|Timeout|Canceled)Error$/.test(String((thrown as Partial<Error> | null)?.name))
    return errorAnswer(isEcho ? abortText() : `${abortText()} ${answerOfThrown(thrown).text}`)
  }

  /** Tells the tool; when it does not come back in time, the model is told without it. */
  function abort(reason: string, kind: "AbortError" | "TimeoutError" = "AbortError"): void {
    if (controller.signal.aborted) return
    controller.abort(new DOMException(reason, kind))
    // What is left until the deadline is for the answer, too.
    const grace = Math.min(ABORT_GRACE_MS, Math.max(0, deadline - clock.now()) / 2)
    graceTimer = clock.setTimeout(() => aborted.resolve(errorAnswer(abortText())), grace)
  }

  const margin = Math.min(ABORT_MARGIN_MS, deadlineMs / 10)
  const expire = (): void => abort("the deadline for its answer has come", "TimeoutError")
  const deadlineTimer = clock.setTimeout(expire, deadlineMs - margin)

  let asked = 0
  const call: ToolCall = {
    callId,
    tool: name,
    arguments: options.sent,
    signal: controller.signal,
    deadline,
    clock,
    progress(done, total, message) {
      const progress: CallProgress = { done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
      change((record) => ({ ...record, progress }))
      options.onProgress(progress)
    },
    askPerson(message, decide) {
      const index = asked++
      let isOpen = true
      timer?.pause()
      change((record) => ({ ...record, approvals: [...record.approvals, { message, status: "waiting", askedAt: clock.now() }] }))
      if (decide) dispatch.person?.asked(message, decide)
      return {
        isPlayed: dispatch.person?.isActing,
        settle(approved, by) {
          if (!isOpen) return
          isOpen = false
          timer?.resume()
          const answer = { status: approved ? "approved" : "refused", answeredAt: clock.now(), by } as const
          change((record) => ({ ...record, approvals: record.approvals.map((approval, at) => (at === index ? { ...approval, ...answer } : approval)) }))
        },
      }
    },
  }

  /** The tool, or why there is none. */
  function lookUp(): AnyTool | string {
    const found = declaration.lookup(name)
    if (found.status === "serving") {
      committed = found.committed
      return found.tool
    }
    if (found.status === "disabled") return `The tool "${name}" is switched off right now. Use another, or try later.`
    const offered = [...declaration.offers().keys()].join(", ")
    return `There is no tool "${name}" here (any more). Offered now: ${offered || "none"}.`
  }

  /** Aborted, or about to be: a timer may come late. */
  const isLate = (): boolean => controller.signal.aborted || clock.now() >= deadline

  async function execute(): Promise<ToolAnswer> {
    // Its turn may come after its end.
    if (isLate()) return aborted.promise
    const tool = lookUp()
    if (typeof tool === "string") return errorAnswer(tool)
    const args = await readArguments(tool, name, dispatch.arguments)
    if (!args.ok) return errorAnswer(args.text)
    if (isLate()) return aborted.promise
    isStarted = true
    change((record) => ({ ...record, phase: "running", startedAt: clock.now(), answer: undefined, error: undefined }))
    const ownLimit = createCallTimer(clock, tool.timeout, () => abort(`it took longer than the ${tool.timeout} ms it is given`, "TimeoutError"))
    timer = ownLimit
    let value: unknown
    try {
      value = await tool.execute(args.value, call)
    } finally {
      // What follows is ours, and has limits of its own.
      ownLimit.stop()
    }
    // A bare `return` of a tool that heeds its signal says no more than a throw of what it was aborted with.
    if (value === undefined && controller.signal.aborted) return errorAnswer(abortText())
    if (value === undefined) notice(() => process.env.NODE_ENV !== "production" && `the tool "${name}" returned nothing; return a sentence that tells the model what happened.`)
    notice(() => process.env.NODE_ENV !== "production" && droppedAdvice(name, value))
    const answer = await toAnswer(tool, value)
    notice(() => process.env.NODE_ENV !== "production" && (answer.is_error ? resultAdvice(name, value, answer.text) : lostNumberAdvice(name, value)))
    return limitAnswer(answer, tool.maxResultBytes)
  }

  /** Executes, and lets what it caused be committed: the next in line is the handler that knows of it. */
  async function executeAndCommit(): Promise<ToolAnswer> {
    const answer = await execute().catch((thrown: unknown) => {
      if (controller.signal.aborted) return answerOfAborted(thrown)
      notice(() => process.env.NODE_ENV !== "production" && `the tool "${name}" threw; the model gets the message.`, thrown)
      return answerOfThrown(thrown)
    })
    if (isStarted) await options.briefly(committed && Promise.resolve().then(committed))
    return answer
  }

  async function run(): Promise<ToolAnswer> {
    const tool = lookUp()
    if (typeof tool === "string") return errorAnswer(tool)
    // A tool that ignores its signal holds up nobody behind it: its turn ends with its answer.
    const turn = (): Promise<ToolAnswer> => Promise.race([executeAndCommit(), aborted.promise])
    return Promise.race([queue.run(name, tool.concurrency, { abort }, turn), aborted.promise])
  }

  return {
    callId,
    deadline,
    unwanted: unwanted.signal,
    get isStarted() {
      return isStarted
    },
    get isUnwanted() {
      return unwanted.signal.aborted
    },
    async run(known) {
      if (known) isStarted = true
      return known ? Promise.race([known, aborted.promise]) : run().catch(answerOfThrown)
    },
    checkDeadline() {
      if (clock.now() >= deadline - margin) expire()
    },
    dismiss(reason) {
      unwanted.abort(new DOMException(reason, "AbortError"))
      abort(reason)
      aborted.resolve(errorAnswer(abortText()))
    },
    end() {
      clock.clearTimeout(graceTimer)
      clock.clearTimeout(deadlineTimer)
      timer?.stop()
    },
  }
}
