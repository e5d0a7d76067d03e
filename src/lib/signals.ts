import type { Clock } from "./clock.ts"
import { createDeferred } from "./deferred.ts"

/** Calls `listener` once when `signal` aborts, at once if it has; the returned function takes it off again. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => {}
  if (signal.aborted) {
    listener()
    return () => {}
  }
  signal.addEventListener("abort", listener, { once: true })
  return () => signal.removeEventListener("abort", listener)
}

/** Runs `task` with the controller's signal, which aborts after `ms` milliseconds or when somebody else aborts it, and rejects then although the task may not. */
export async function abortAfter<Value>(clock: Clock, ms: number, task: (signal: AbortSignal) => Promise<Value>, controller: AbortController): Promise<Value> {
  const { signal } = controller
  const { promise, reject } = createDeferred<never>()
  onAbort(signal, () => reject(signal.reason))
  const timer = clock.setTimeout(() => controller.abort(new DOMException(`no answer within ${ms} ms`, "TimeoutError")), ms)
  try {
    return await Promise.race([task(signal), promise])
  } finally {
    clock.clearTimeout(timer)
  }
}

/** As {@link abortAfter}, aborting along with `outer`, on which no listener stays. */
export async function withTimeLimit<Value>(clock: Clock, ms: number, task: (signal: AbortSignal) => Promise<Value>, outer?: AbortSignal): Promise<Value> {
  const controller = new AbortController()
  const stop = onAbort(outer, () => controller.abort(outer?.reason))
  try {
    return await abortAfter(clock, ms, task, controller)
  } finally {
    stop()
  }
}
