import type { ErrorHandler } from "./callSafely.ts"
import { createGuardedController } from "./guardedController.ts"
import { onAbort } from "./signals.ts"

/** Runs a user's code with a signal that aborts along with `outer`, and whose listeners may throw: that goes to `onError`. */
export async function withGuardedSignal<Value>(outer: AbortSignal, onError: ErrorHandler, task: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
  const controller = createGuardedController(onError)
  const stop = onAbort(outer, () => controller.abort(outer.reason))
  try {
    return await task(controller.signal)
  } finally {
    stop()
  }
}
