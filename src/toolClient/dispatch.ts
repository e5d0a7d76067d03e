import { backOffDelay } from "../lib/backOff.ts"
import type { ErrorHandler } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { withTimeLimit } from "../lib/signals.ts"
import { createWaiter, type Waiter } from "../lib/waiter.ts"
import { errorAnswer } from "../tool/answer.ts"
import { copyJson } from "../tool/copyJson.ts"
import { reasonOf } from "../tool/reason.ts"
import type { CallProgress } from "../tool/toolCall.ts"
import type { ToolAnswer } from "../tool/toolSpec.ts"
import type { AnswerMemory } from "./answerMemory.ts"
import { createCallQueue } from "./callQueue.ts"
import type { CallRecord } from "./calls.ts"
import type { Declaration } from "./declaration.ts"
import type { Dispatch, ToolClientPort } from "./port.ts"
import { createProgressSender } from "./progressSender.ts"
import { createRunningCall, type RunningCall } from "./runningCall.ts"

/** An answer waits at most this long for the definitions that its call changed (requirement: the model's next call sees the new tools). */
export const FLUSH_LIMIT_MS = 2_000

export interface DispatchOptions {
  readonly port: ToolClientPort
  readonly clock: Clock
  readonly waiter: Waiter
  readonly declaration: Declaration
  readonly memory: AnswerMemory
  /** The client's id at the other side; `undefined` while it has none. */
  id(): string | undefined
  /** Whether the client has left or failed, so that nobody takes an answer any more. */
  isOver(): boolean
  /** The other side does not know `id` any more. */
  onGone(id: string): void
  /** A request of this client was taken. */
  onTaken(): void
  /** Resolves when changed definitions are out; `undefined` where none have changed. */
  flushed(): Promise<void> | undefined
  onBegin(call: CallRecord): void
  onChange(callId: string, change: (call: CallRecord) => CallRecord): void
  /** No call runs any more. */
  onIdle(): void
  onError: ErrorHandler
}

/** Answers calls: each one once, whatever happens (docs/PROTOCOL.md). */
export interface Dispatcher {
  readonly isBusy: boolean
  receive(dispatch: Dispatch): void
  /** Resolves when the acks under way are taken, or soon: a DELETE that overtakes one would say that its call never ran. `undefined` where there are none. */
  acked(): Promise<void> | undefined
  /** There is an id (again): what waits for one goes out. */
  registered(): void
  /** Something woke the page's code: deadlines may have passed while it slept. */
  woke(): void
  /** The call needs no answer any more. */
  cancel(callId: string, reason: string): void
  /** No call needs an answer any more. */
  cancelAll(reason: string): void
}

export function createDispatcher(options: DispatchOptions): Dispatcher {
  const { port, clock, waiter, declaration, memory, onChange, onError } = options
  const queue = createCallQueue()
  /** Its own, so that one client's registration hurries no other client's. */
  const withoutId = createWaiter(clock)
  const running = new Map<string, RunningCall>()
  const acks = new Set<Promise<void>>()
  /** Several acks may be one request, whose failure is told once. */
  let toldAckError: unknown

  async function ack(callId: string): Promise<void> {
    const id = options.id()
    if (!port.ack || id === undefined) return
    try {
      await port.ack(id, callId)
      memory.unconfirmed.delete(callId)
      options.onTaken()
    } catch (error) {
      const { kind } = port.failureOf(error)
      if (kind === "settled" || options.isOver()) return
      if (error !== toldAckError) onError(error)
      toldAckError = error
      // A lost ack needs no retry: the dispatch comes again, and so does the ack.
      if (kind === "gone") options.onGone(id)
    }
  }

  /** A report that is lost is not sent again: a newer one comes, or the answer. */
  async function sendProgress(callId: string, progress: CallProgress): Promise<void> {
    const id = options.id()
    if (id === undefined || options.isOver()) return
    await port.progress?.(id, callId, progress).then(options.onTaken, () => {})
  }

  /** Sends until it is taken, the deadline has passed, or nobody wants it; resolves with why it was not taken. */
  async function deliver(call: RunningCall, first: ToolAnswer): Promise<{ answer: ToolAnswer; error?: unknown }> {
    let answer = first
    let failure: unknown
    for (let attempt = 0; clock.now() < call.deadline && !options.isOver() && !call.isUnwanted; ) {
      const id = options.id()
      if (id === undefined) {
        await withoutId.wait(backOffDelay(clock, attempt++), call.unwanted)
        continue
      }
      try {
        await port.answer(id, call.callId, answer)
        memory.unconfirmed.delete(call.callId)
        options.onTaken()
        return { answer }
      } catch (error) {
        const { kind, retryAfterMs } = port.failureOf(error)
        failure = error
        if (kind === "settled") return { answer, error }
        if (kind === "gone") {
          options.onGone(id)
          continue
        }
        if (kind === "refused" || (kind === "too_large" && answer !== first)) break
        else if (kind === "too_large") {
          onError(error)
          answer = errorAnswer("The tool ran, but its result is too large for the server to take. Ask for less.")
          continue
        } else if (attempt === 0) onError(error)
        await waiter.wait(backOffDelay(clock, attempt++, retryAfterMs), call.unwanted)
      }
    }
    const error: unknown = failure ?? call.unwanted.reason ?? new Error(`${options.isOver() ? "The tool client had failed" : "The deadline passed"} before the answer could be sent.`)
    if (!call.isUnwanted && !options.isOver()) onError(error)
    return { answer, error }
  }

  /** Waits for something of others, where there is any, and not for long. */
  const briefly = (other: Promise<unknown> | undefined): Promise<void> | undefined =>
    other && withTimeLimit(clock, FLUSH_LIMIT_MS, () => other.then(() => {}, onError)).catch(() => {})

  /** @param known - What was answered before, or will be, for a call that comes again: it is answered again, and nothing runs. */
  async function answerAndSettle(call: RunningCall, known: ReturnType<AnswerMemory["get"]>, reply: Dispatch["reply"]): Promise<void> {
    const answer = await call.run(known)
    const isDismissed = call.isUnwanted
    if (!isDismissed && !known && call.isStarted && !reply) await briefly(options.flushed())
    if (!known) memory.finish(call.callId, answer)
    const outcome: { answer: ToolAnswer | undefined; error?: unknown } =
      call.isUnwanted ? { answer: isDismissed ? undefined : answer, error: call.unwanted.reason as unknown } : reply ? { answer } : await deliver(call, answer)
    reply?.(outcome.answer ?? errorAnswer(`The call was aborted: ${reasonOf(outcome.error)}.`))
    onChange(call.callId, (record): CallRecord => {
      // It had come again, in vain.
      if (record.phase === "failed" && record.isCancelled) return record
      const settled = { ...record, settledAt: clock.now() }
      return outcome.answer && outcome.error === undefined
        ? { ...settled, phase: "answered", answer: outcome.answer, error: undefined }
        : { ...settled, phase: "failed", answer: outcome.answer, error: outcome.error, isCancelled: call.isUnwanted }
    })
  }

  return {
    get isBusy() {
      return running.size > 0
    },
    receive(dispatch) {
      const { callId } = dispatch
      // The other side settles what a client leaves behind.
      if (options.isOver() && !dispatch.reply) return
      if (!dispatch.reply) {
        const sent: Promise<void> = ack(callId).finally(() => acks.delete(sent))
        acks.add(sent)
      }
      // It runs, or is being answered.
      if (running.has(callId)) return
      const known = memory.get(callId)
      const release = clock.hold()
      // A tool may change the arguments that it is given. Nested too deeply to be copied, they are shown as they are.
      const copy = copyJson(dispatch.arguments)
      const sent = copy.ok ? copy.value : dispatch.arguments
      const progress = port.progress && !dispatch.reply ? createProgressSender(clock, (report) => sendProgress(callId, report)) : undefined
      const onProgress = (report: CallProgress): void => progress?.report(report)
      const call = createRunningCall({ onProgress, dispatch, sent, clock, declaration, queue, briefly, onChange, onError })
      running.set(callId, call)
      if (!known) {
        memory.begin(callId)
        if (port.ack && !dispatch.reply) memory.unconfirmed.add(callId)
        options.onBegin({
          callId,
          tool: dispatch.tool,
          ...(dispatch.via !== undefined && { via: dispatch.via }),
          arguments: sent,
          receivedAt: clock.now(),
          approvals: [],
          phase: "acked",
          answer: undefined,
          error: undefined,
        })
      }
      void answerAndSettle(call, known, dispatch.reply).finally(() => {
        call.end()
        progress?.end()
        running.delete(callId)
        release()
        if (running.size === 0) options.onIdle()
      })
    },
    acked: () => briefly(acks.size > 0 ? Promise.all(acks) : undefined),
    registered: () => withoutId.wake(),
    woke() {
      for (const call of running.values()) call.checkDeadline()
    },
    cancel(callId, reason) {
      running.get(callId)?.dismiss(reason)
    },
    cancelAll(reason) {
      for (const call of running.values()) call.dismiss(reason)
    },
  }
}
