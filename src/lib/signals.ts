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
 * Runs `task` with a signal that aborts after `ms` milliseconds or with `signal`, and takes timer and listener away when it is done.
 * Without `AbortSignal.any`, which collects listeners on a signal that lives as long as the page.
 */
export async function withTimeLimit<Value>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController()
  const timer = clock.setTimeout(() => controller.abort(new DOMException(`No answer within ${ms} ms.`, "TimeoutError")), ms)
  const unlink = onAbort(signal, () => controller.abort(signal?.reason))
  try {
    return await task(controller.signal)
  } finally {
    clock.clearTimeout(timer)
    unlink()
  }
}
