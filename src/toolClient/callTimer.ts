import type { Clock } from "../lib/clock.ts"

/** A time limit that stands still while a person is asked. */
export interface CallTimer {
  pause(): void
  resume(): void
  stop(): void
}

const NO_TIMER: CallTimer = { pause() {}, resume() {}, stop() {} }

/** Calls `onTimeout` once when `ms` milliseconds have passed that were not paused; `undefined` is no limit. Pauses nest. */
export function createCallTimer(clock: Clock, ms: number | undefined, onTimeout: () => void): CallTimer {
  if (ms === undefined) return NO_TIMER
  let left = ms
  let pauses = 0
  let startedAt = clock.now()
  let timer = clock.setTimeout(onTimeout, left)
  return {
    pause() {
      if (pauses++ > 0) return
      clock.clearTimeout(timer)
      left -= Math.max(0, clock.now() - startedAt)
    },
    resume() {
      if (--pauses > 0) return
      startedAt = clock.now()
      timer = clock.setTimeout(onTimeout, left)
    },
    stop() {
      pauses = Infinity
      clock.clearTimeout(timer)
    },
  }
}
