/** The longest delay a timer takes; above it `setTimeout` fires at once (HTML Standard, "timer initialisation steps"). */
export const MAX_DELAY_MS = 2 ** 31 - 1

/** What a clock gives back for a timer; opaque. */
export type TimerHandle = unknown

/**
 * Time and chance as one seam, so that a test owns both.
 * Elapsed time is a difference of `now()`, never a count of ticks: a hidden page's timers come once a minute.
 */
export interface Clock {
  /** Milliseconds since the epoch. May jump, both ways. */
  now(): number
  /** Calls back once after `ms` milliseconds. The timer never keeps a Node process running. */
  setTimeout(callback: () => void, ms: number): TimerHandle
  clearTimeout(handle: TimerHandle): void
  /** A number in [0, 1), for jitter. */
  random(): number
  /** Keeps a Node process running until the returned function is called; nothing in a browser. */
  hold(): () => void
}

const clampDelay = (ms: number): number => Math.min(Math.max(ms, 0), MAX_DELAY_MS)

/** Timers differ: a number in browsers, an object with `unref` on Node. */
const unrefTimer = (timer: unknown): boolean => {
  if (typeof timer !== "object" || timer === null || !("unref" in timer)) return false
  ;(timer as { unref(): void }).unref()
  return true
}

/** The machine's own clock. The globals are looked up at each call, so fake timers installed later work too. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, ms) {
    const timer = setTimeout(callback, clampDelay(ms))
    unrefTimer(timer)
    return timer
  },
  clearTimeout: (handle) => clearTimeout(handle as number),
  random: () => Math.random(),
  hold() {
    const timer: unknown = setInterval(() => {}, MAX_DELAY_MS)
    const stop = (): void => clearInterval(timer as number)
    // A number: nothing here ends by itself, so nothing needs to be held.
    if (typeof timer === "number") stop()
    return stop
  },
}
