import type { Clock } from "./clock.ts"

/** The first retry waits at most this long. */
export const BACK_OFF_MIN_MS = 500

/** No retry waits longer than this by itself. */
export const BACK_OFF_MAX_MS = 30_000

/** A `Retry-After` beyond this is cut: a page does not stay away for an hour because one proxy said so. */
export const RETRY_AFTER_MAX_MS = 60_000

/**
 * Milliseconds to wait before retry number `attempt` (0 for the first): exponential with full jitter, so that a thousand pages
 * do not come back together. A server's `retryAfterMs` is the least it waits, with half a back-off of jitter on top.
 */
export function backOffDelay(clock: Pick<Clock, "random">, attempt: number, retryAfterMs?: number): number {
  const jittered = clock.random() * Math.min(BACK_OFF_MAX_MS, BACK_OFF_MIN_MS * 2 ** Math.min(attempt, 16))
  if (retryAfterMs === undefined) return jittered
  return Math.min(Math.max(retryAfterMs, 0), RETRY_AFTER_MAX_MS) + jittered / 2
}
