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

/** Runs `task` with a signal that aborts after `ms` milliseconds, or along with `outer`, and rejects then although the task may not. */
export async function withTimeLimit<Value>(
  clock: Clock,
  ms: number,
  task: (signal: AbortSignal) => Promise<Value>,
  outer?: AbortSignal,
): Promise<Value> {
  const controller = new AbortController()
  const { promise, reject } = createDeferred<never>()
  const abort = (reason: unknown): void => {
    controller.abort(reason)
    reject(reason)
  }
  const timer = clock.setTimeout(() => abort(new DOMException(`no answer within ${ms} ms`, "TimeoutError")), ms)
  const stop = onAbort(outer, () => abort(outer?.reason))
  try {
    return await Promise.race([task(controller.signal), promise])
  } finally {
    clock.clearTimeout(timer)
    stop()
  }
}
