import { createDeferred } from "../lib/deferred.ts"
import { onAbort } from "../lib/signals.ts"

/** What `task` comes to, or a rejection with the signal's reason as soon as it aborts, although the task may go on. An aborted signal starts nothing. */
export async function untilAborted<Value>(signal: AbortSignal | undefined, task: () => Promise<Value>): Promise<Value> {
  if (!signal) return task()
  signal.throwIfAborted()
  const aborted = createDeferred<never>()
  const stop = onAbort(signal, () => aborted.reject(signal.reason))
  try {
    return await Promise.race([task(), aborted.promise])
  } finally {
    stop()
  }
}
