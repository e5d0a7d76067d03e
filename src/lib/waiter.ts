import type { Clock } from "./clock.ts"

/** Waits that end early when somebody says that waiting makes no more sense. */
export interface Waiter {
  /** Resolves after `ms` milliseconds, at the next `wake()`, or when `signal` aborts, whichever comes first. Never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
  /** Ends every wait under way: the network is back, the page is looked at again. */
  wake(): void
}

export function createWaiter(clock: Clock): Waiter {
  const waiting = new Set<() => void>()
  return {
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const end = (): void => {
          clock.clearTimeout(timer)
          waiting.delete(end)
          signal?.removeEventListener("abort", end)
          resolve()
        }
        const timer = clock.setTimeout(end, ms)
        waiting.add(end)
        if (signal?.aborted) end()
        else signal?.addEventListener("abort", end)
      }),
    wake() {
      for (const end of [...waiting]) end()
    },
  }
}
