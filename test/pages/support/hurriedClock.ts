import { type Clock, systemClock } from "../../../src/lib/clock.ts"

/** The machine's clock, but faster, so that a test need not wait as long as the protocol does; for servers and for pages. */
export interface HurriedClock extends Clock {
  /** Time passes all at once: what falls due by then is due now. */
  skip(ms: number): void
}

interface Timer {
  readonly callback: () => void
  readonly at: number
  handle: unknown
}

/** @param chance - What `random()` always gives. `@default` by chance */
export function createHurriedClock(speed = 1, chance?: number): HurriedClock {
  const begin = Date.now()
  const timers = new Map<object, Timer>()
  let skipped = 0
  const now = (): number => begin + (Date.now() - begin) * speed + skipped

  function arm(key: object, timer: Timer): void {
    timer.handle = systemClock.setTimeout(
      () => {
        timers.delete(key)
        timer.callback()
      },
      Math.max(0, timer.at - now()) / speed,
    )
  }

  return {
    ...systemClock,
    now,
    random: () => chance ?? Math.random(),
    setTimeout(callback, ms) {
      const key = {}
      const timer: Timer = { callback, at: now() + ms, handle: undefined }
      timers.set(key, timer)
      arm(key, timer)
      return key
    },
    clearTimeout(key) {
      const timer = timers.get(key as object)
      timers.delete(key as object)
      systemClock.clearTimeout(timer?.handle)
    },
    skip(ms) {
      skipped += ms
      for (const [key, timer] of timers) {
        systemClock.clearTimeout(timer.handle)
        arm(key, timer)
      }
    },
  }
}
