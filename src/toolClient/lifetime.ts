import type { Clock } from "../lib/clock.ts"
import { DEFAULT_TTL_SECONDS, MAX_TTL_SECONDS } from "../wire/limits.ts"
import type { Lifetime } from "../wire/messages.ts"

/** What a page has: it can vanish without saying so (docs/PROTOCOL.md, "Staying alive"). */
export const DEFAULT_LIFETIME: Lifetime = { type: "ttl", data: { seconds: DEFAULT_TTL_SECONDS } }

/** A ping is due this part of the interval early when something else woke the page's code: its timer may come late, or once a minute. */
const EARLY_PART = 1 / 6

/** Half of it is the time between two pings, and one a second is the most that a page sends. */
export const MIN_TTL_SECONDS = 2

/** @throws RangeError for what is no lifetime: a ttl that is no number of seconds from two up or longer than a day, or another type. */
export function checkLifetime(lifetime: Lifetime): Lifetime {
  // Read as if nothing were known: a caller without types may have written anything.
  const { type, data } = lifetime as { readonly type?: unknown; readonly data?: { readonly seconds?: unknown } | null }
  const seconds = data?.seconds
  if (type === "never" || (type === "ttl" && typeof seconds === "number" && seconds >= MIN_TTL_SECONDS && seconds <= MAX_TTL_SECONDS)) return lifetime
  throw new RangeError(`A tool client's ttl is ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS} seconds, got ${JSON.stringify(lifetime)}. Use { type: "never" } for one that lives until it is deleted.`)
}

const ttlMs = (lifetime: Lifetime): number => (lifetime.type === "ttl" ? lifetime.data.seconds * 1000 : Infinity)

export const sameLifetime = (one: Lifetime, other: Lifetime): boolean => ttlMs(one) === ttlMs(other)

/** Keeps a tool client alive: one ping at a time, at half the ttl, from whichever source comes first. */
export interface Pinger {
  start(): void
  stop(): void
  /** The server has just accepted a request of this client, which counts as a ping. */
  touch(): void
  /** Something woke the page's code: pings if one is due, or nearly; after a failure once its wait is over, or the page has returned. */
  pingIfDue(isReturn?: boolean): void
  /** The server may have forgotten the client, however recently it took a request of it. */
  pingNow(): void
}

/**
 * @param send - One ping with a time limit of its own; resolves with the milliseconds after which to try again when it failed, and
 * `undefined` when it was taken. `failures` counts those that failed in a row before it.
 */
export function createPinger(
  clock: Clock,
  lifetime: Lifetime,
  send: (failures: number) => Promise<number | undefined>,
): Pinger {
  const interval = ttlMs(lifetime) / 2
  let isStarted = false
  let isPinging = false
  let failures = 0
  /** When the wait for the next one began: with a sign of life, or a failure. */
  let waitsSince = 0
  let waitMs = interval
  let timer: unknown

  function wait(since: number, ms: number): void {
    waitsSince = since
    waitMs = ms
    clock.clearTimeout(timer)
    // Never an interval, and armed anew after an awaited answer: a hidden page's chained timers come once a minute.
    if (isStarted) timer = clock.setTimeout(() => void ping(), ms)
  }

  async function ping(): Promise<void> {
    if (isPinging || !isStarted) return
    isPinging = true
    const sentAt = clock.now()
    const retryMs = await send(failures)
    isPinging = false
    failures = retryMs === undefined ? 0 : failures + 1
    if (retryMs === undefined) wait(sentAt, interval)
    else wait(clock.now(), retryMs)
  }

  function touch(): void {
    failures = 0
    wait(clock.now(), interval)
  }

  return {
    start() {
      // One that lives until it is deleted never pings.
      isStarted = lifetime.type === "ttl"
      touch()
    },
    stop() {
      isStarted = false
      clock.clearTimeout(timer)
    },
    touch,
    pingIfDue(isReturn = false) {
      const elapsed = clock.now() - waitsSince
      // A clock set back: what it says is worth nothing.
      const isDue = elapsed < 0 || elapsed >= (failures ? waitMs : waitMs * (1 - EARLY_PART))
      if (isDue || (isReturn && failures)) void ping()
    },
    pingNow() {
      void ping()
    },
  }
}
