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

/**
 * Runs `task` with a signal that aborts after `ms` milliseconds, or along with `outer`, and rejects then although the task may not.
 *
 * @param controller - The signal's, for who wants to abort it too.
 */
export async function withTimeLimit<Value>(
  clock: Clock,
  ms: number,
  task: (signal: AbortSignal) => Promise<Value>,
  outer?: AbortSignal,
  controller = new AbortController(),
): Promise<Value> {
  const { signal } = controller
  const { promise, reject } = createDeferred<never>()
  onAbort(signal, () => reject(signal.reason))
  const timer = clock.setTimeout(() => controller.abort(new DOMException(`no answer within ${ms} ms`, "TimeoutError")), ms)
  const stop = onAbort(outer, () => controller.abort(outer?.reason))
  try {
    return await Promise.race([task(signal), promise])
  } finally {
    clock.clearTimeout(timer)
    stop()
  }
}
