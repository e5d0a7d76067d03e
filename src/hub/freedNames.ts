import type { Clock } from "../lib/clock.ts"

/**
 * How long a name that became free is left to the page that had it: a reload is back within this, and a name is not to go from tab to
 * tab with each (docs/HUB-PROTOCOL.md, "Taking over"). Milliseconds.
 */
export const TAKE_OVER_AFTER_MS = 5_000

/** On top, by chance: of many tabs that wait for one name the first to ask is told to the others. Milliseconds. */
export const TAKE_OVER_SPREAD_MS = 1_000

/** Names that a remote of this page was refused, and that may be free now. */
export interface FreedNames {
  /** Tries it once, unless somebody has it by then. */
  freed(remotename: string): void
  /** Somebody has it. */
  taken(remotename: string): void
  clear(): void
}

export function createFreedNames(clock: Clock, tryAgain: (remotename: string) => void): FreedNames {
  const timers = new Map<string, unknown>()

  function taken(remotename: string): void {
    clock.clearTimeout(timers.get(remotename))
    timers.delete(remotename)
  }

  return {
    freed(remotename) {
      taken(remotename)
      const timer = clock.setTimeout(
        () => {
          timers.delete(remotename)
          tryAgain(remotename)
        },
        TAKE_OVER_AFTER_MS + clock.random() * TAKE_OVER_SPREAD_MS,
      )
      timers.set(remotename, timer)
    },
    taken,
    clear() {
      for (const remotename of [...timers.keys()]) taken(remotename)
    },
  }
}
