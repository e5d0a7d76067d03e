import { type Clock, MAX_DELAY_MS, systemClock } from "../../../src/lib/clock.ts"
import type { SeededRandom } from "../random.ts"

/** Real time, run faster: five minutes' deadlines and a minute's ttl come to pass within a short run. */
export interface FastClock extends Clock {
  /** Timers that wait. */
  readonly pending: number
  readonly holds: number
}

export function createFastClock(speed: number, random: SeededRandom): FastClock {
  const start = Date.now()
  const timers = new Set<unknown>()
  let holds = 0
  return {
    now: () => start + (Date.now() - start) * speed,
    random: () => random.next(),
    setTimeout(callback, ms) {
      const timer = systemClock.setTimeout(() => {
        timers.delete(timer)
        callback()
      }, Math.min(ms, MAX_DELAY_MS) / speed)
      timers.add(timer)
      return timer
    },
    clearTimeout(timer) {
      timers.delete(timer)
      systemClock.clearTimeout(timer)
    },
    hold() {
      holds++
      const release = systemClock.hold()
      let isHeld = true
      return () => {
        if (isHeld) holds--
        isHeld = false
        release()
      }
    },
    get pending() {
      return timers.size
    },
    get holds() {
      return holds
    },
  }
}
