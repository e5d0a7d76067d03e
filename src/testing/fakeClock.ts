import type { Clock } from "../lib/clock.ts"
import { turn } from "../lib/turn.ts"
import { outsideAct } from "./outsideAct.ts"

/** A clock that stands still until it is told otherwise. */
export interface FakeClock extends Clock {
  /** Moves time on by `ms`, firing what falls due in order and letting promises settle between. */
  advance(ms: number): Promise<void>
  /** Moves `now()` by `ms` (also backwards) without firing anything: a laptop's sleep, or a clock set anew. */
  jump(ms: number): void
  /** How many timers are waiting. */
  readonly pending: number
  /** How many holds keep the process. */
  readonly holds: number
}

/** How many turns of the event loop a step waits, so that what a timer started (a fetch on loopback not included) has settled. */
const TURNS_PER_STEP = 4

async function settle(): Promise<void> {
  for (let count = 0; count < TURNS_PER_STEP; count++) await turn()
}

/**
 * Creates a clock for tests: time moves only by `advance` and `jump`.
 *
 * @param options.now - Milliseconds since the epoch. `@default` 1_700_000_000_000
 * @param options.random - What `random()` gives. `@default` `() => 0.5`
 */
export function createFakeClock(options: { now?: number | undefined; random?: (() => number) | undefined } = {}): FakeClock {
  let now = options.now ?? 1_700_000_000_000
  let sequence = 0
  let holds = 0
  const timers = new Map<number, { at: number; callback: () => void }>()
  const next = (until: number): [number, { at: number; callback: () => void }] | undefined =>
    [...timers].filter(([, timer]) => timer.at <= until).sort(([a, x], [b, y]) => x.at - y.at || a - b)[0]
  return {
    now: () => now,
    random: options.random ?? (() => 0.5),
    setTimeout(callback, ms) {
      timers.set(++sequence, { at: now + Math.max(0, ms), callback })
      return sequence
    },
    clearTimeout(handle) {
      timers.delete(handle as number)
    },
    hold() {
      holds++
      let held = true
      return () => {
        if (held) holds--
        held = false
      }
    },
    advance: (ms) =>
      outsideAct(async () => {
        const until = now + ms
        await settle()
        for (let due = next(until); due; due = next(until)) {
          const [handle, timer] = due
          timers.delete(handle)
          now = Math.max(now, timer.at)
          timer.callback()
          await settle()
        }
        now = Math.max(now, until)
      }),
    jump(ms) {
      now += ms
    },
    get pending() {
      return timers.size
    },
    get holds() {
      return holds
    },
  }
}
