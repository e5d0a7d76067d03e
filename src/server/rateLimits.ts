/** Limits by the minute, as token buckets: what was not used comes back evenly, so that a limit is no cliff at each full minute. */
import { SessionServerError } from "./sessionServerError.ts"

const MINUTE_MS = 60_000

/** What is left of a limit, as it was at a time in milliseconds since the epoch. */
export interface Budget {
  readonly left: number
  readonly at: number
}

/** What is left now; a clock that was set back gives nothing. */
function refilled(budget: Budget | null, perMinute: number, now: number): number {
  if (!budget) return perMinute
  return Math.min(perMinute, budget.left + (Math.max(0, now - budget.at) * perMinute) / MINUTE_MS)
}

/**
 * Takes one from a budget.
 * @throws SessionServerError 429 `rate_limited`, whose `Retry-After` is when there will be one again
 */
export function spend(budget: Budget | null, perMinute: number, now: number, what: string): Budget {
  const left = refilled(budget, perMinute, now)
  if (left >= 1) return { left: left - 1, at: now }
  const seconds = Math.max(1, Math.ceil(((1 - left) * MINUTE_MS) / perMinute / 1000))
  throw new SessionServerError(429, "rate_limited", `The session may ${what} ${perMinute} times a minute, and did. Wait ${seconds} s.`, {
    headers: { "retry-after": String(seconds) },
  })
}

export interface RateLimiter {
  /** Counts one of this key. @throws SessionServerError 429 `rate_limited` */
  count(key: string, now: number): void
}

/** How many keys are remembered: the full budgets among them are forgotten before there are more. */
const MAX_KEYS = 10_000

/** Counts in this process, for what comes too often to be written to a store each time. */
export function createRateLimiter(perMinute: number, what: string): RateLimiter {
  const budgets = new Map<string, Budget>()

  return {
    count(key, now) {
      const next = spend(budgets.get(key) ?? null, perMinute, now, what)
      // Anew at the end: the first ones are those that were quiet for longest.
      budgets.delete(key)
      budgets.set(key, next)
      if (budgets.size <= MAX_KEYS) return
      for (const [quiet, budget] of budgets) {
        if (refilled(budget, perMinute, now) < perMinute) break
        budgets.delete(quiet)
      }
    },
  }
}
