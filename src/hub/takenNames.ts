import type { Clock } from "../lib/clock.ts"
import type { Waiter } from "../lib/waiter.ts"

/**
 * How long "already connected" is tried again: the name may be held by a half-open socket, our own of before, which the hub notices
 * within two of its pings (docs/HUB-PROTOCOL.md, "Taking over").
 */
export const TAKEN_NAME_PATIENCE_MS = 35_000

/** Names that another socket holds, and for how long that is borne. */
export interface TakenNames {
  /** Refused just now: begins the patience, or ends it when it has passed. */
  refused(remotename: string): void
  /** Whether the name is worth another try. One for which patience has ended is another page's: a try that comes of its own accord has no patience any more. */
  isWaitedFor(remotename: string): boolean
  /** The name was had. */
  had(remotename: string): void
  /** The socket is lost: of names that are waited for nothing is known any more. */
  clear(): void
}

/** @param waiter - Woken at the patience's end, so that the last attempt is made then and not a back-off later. */
export function createTakenNames(clock: Clock, waiter: Waiter): TakenNames {
  const names = new Map<string, { readonly timer: unknown; isLast: boolean }>()
  const givenUp = new Set<string>()

  function forget(remotename: string): void {
    clock.clearTimeout(names.get(remotename)?.timer)
    names.delete(remotename)
  }

  function begin(remotename: string): void {
    const end = (): void => {
      entry.isLast = true
      waiter.wake()
    }
    // By a timer, not by what a clock says that may be set anew.
    const entry = { timer: clock.setTimeout(end, TAKEN_NAME_PATIENCE_MS), isLast: false }
    names.set(remotename, entry)
  }

  return {
    refused(remotename) {
      if (givenUp.has(remotename)) return
      const known = names.get(remotename)
      if (!known) return begin(remotename)
      if (!known.isLast) return
      forget(remotename)
      givenUp.add(remotename)
    },
    isWaitedFor: (remotename) => names.has(remotename),
    had(remotename) {
      forget(remotename)
      givenUp.delete(remotename)
    },
    clear() {
      for (const remotename of [...names.keys()]) forget(remotename)
    },
  }
}
