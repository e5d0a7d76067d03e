import type { ErrorHandler } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { createGuardedController } from "../lib/guardedController.ts"
import { onAbort } from "../lib/signals.ts"
import { ToolError } from "./toolError.ts"

export interface OnceOptions {
  readonly clock: Clock
  /** How long an outcome is kept, in milliseconds. */
  readonly keptMs: number
  /** How many outcomes are kept at most; the oldest go first. */
  readonly maxKept: number
  /** Hears what a listener of a run's signal throws. */
  readonly onError: ErrorHandler
}

export interface KeyedTask<Outcome> {
  readonly key: string
  /** What is asked for: the same key for something else is refused. */
  readonly content: string
  readonly tool: string
  readonly signal: AbortSignal
  /** Its signal aborts when everybody who waits has gone. */
  run(signal: AbortSignal): Promise<Outcome>
  /** Whether the outcome says that nothing came of it, so that the same key may run again. */
  isVoid(outcome: Outcome): boolean
}

/** Runs what has a key once: whoever asks again gets the first one's outcome, also while it still runs. */
export interface Once<Outcome> {
  /** @throws ToolError `conflict` when the key stood for something else */
  (task: KeyedTask<Outcome>): Promise<Outcome>
}

interface Entry<Outcome> {
  readonly content: string
  readonly controller: AbortController
  readonly outcome: Promise<Outcome>
  waiting: number
  settledAt: number | undefined
}

export function createOnce<Outcome>({ clock, keptMs, maxKept, onError }: OnceOptions): Once<Outcome> {
  /** In the order in which they began. */
  const entries = new Map<string, Entry<Outcome>>()

  function forgetOld(): void {
    for (const [key, { settledAt }] of entries) {
      const isOver = settledAt !== undefined && (entries.size > maxKept || clock.now() - settledAt >= keptMs)
      if (isOver) entries.delete(key)
    }
  }

  function start({ key, content, run, isVoid }: KeyedTask<Outcome>): Entry<Outcome> {
    const controller = createGuardedController(onError)
    const entry: Entry<Outcome> = { content, controller, outcome: run(controller.signal), waiting: 0, settledAt: undefined }
    entries.set(key, entry)
    const forget = (): void => {
      if (entries.get(key) === entry) entries.delete(key)
    }
    entry.outcome.then((outcome) => {
      entry.settledAt = clock.now()
      if (isVoid(outcome)) forget()
    }, forget)
    return entry
  }

  return async (task) => {
    forgetOld()
    let entry = entries.get(task.key)
    if (entry && entry.content !== task.content) {
      throw new ToolError("conflict", task.tool, "the Idempotency-Key was already used for another call; use a new one for each call")
    }
    if (entry?.controller.signal.aborted && entry.settledAt === undefined) {
      // Everybody had gone and it is being stopped: what comes of it is waited for, so that two never run side by side.
      await entry.outcome.catch(() => {})
      entry = entries.get(task.key)
    }
    const joined = entry ?? start(task)
    joined.waiting++
    const stop = onAbort(task.signal, () => {
      if (--joined.waiting === 0) joined.controller.abort(task.signal.reason)
    })
    try {
      return await joined.outcome
    } finally {
      stop()
    }
  }
}
