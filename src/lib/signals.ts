import type { Clock } from "./clock.ts"

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
 * Runs `task` with a signal that aborts after `ms` milliseconds, and rejects then although the task may not.
 *
 * @param controller - The signal's, for who wants to abort it too.
 */
export function withTimeLimit<Value>(clock: Clock, ms: number, task: (signal: AbortSignal) => Promise<Value>, controller = new AbortController()): Promise<Value> {
  const { signal } = controller
  const timer = clock.setTimeout(() => controller.abort(new DOMException(`no answer within ${ms} ms`, "TimeoutError")), ms)
  return new Promise<Value>((resolve, reject) => {
    onAbort(signal, () => reject(signal.reason as Error))
    task(signal).then(resolve, reject)
  }).finally(() => clock.clearTimeout(timer))
}
