import { turn } from "../lib/turn.ts"

/** A render that is not committed by then is not waited for: an answer late is worse than an answer early. Milliseconds. */
export const COMMIT_LIMIT_MS = 1_000

/**
 * Tells when React has committed what was set so far: a component that renders nothing is set, and its effect runs after the effects
 * of all that was set before it, in transitions too unless they suspend. No timer is on the way, so a hidden page's throttling does
 * not touch it.
 */
export interface CommitBeacon {
  /** Resolves when all that was set before is committed; in a few turns where nothing is shown that could tell. */
  committed(this: void): Promise<void>
  /** The component is shown, and `bump` sets it; `null` when it is hidden or gone, and nothing is waited for any more. */
  light(this: void, bump: ((count: number) => void) | null): void
  /** The component's effect ran with `count`. */
  reached(count: number): void
}

/** React commits a plain update and runs its effects within two turns of the event loop; jsdom on Node orders them so that it takes three. */
const COMMIT_TURNS = 3

export async function fewTurns(): Promise<void> {
  for (let count = 0; count < COMMIT_TURNS; count++) await turn()
}

export function createCommitBeacon(): CommitBeacon {
  let bump: ((count: number) => void) | null = null
  let asked = 0
  const waiting = new Map<number, () => void>()
  const release = (upTo: number): void => {
    for (const [count, resolve] of waiting) {
      if (count > upTo) continue
      waiting.delete(count)
      resolve()
    }
  }
  return {
    async committed() {
      if (!bump) return fewTurns()
      const count = ++asked
      let timer: ReturnType<typeof setTimeout> | undefined
      await new Promise<void>((resolve) => {
        waiting.set(count, resolve)
        timer = setTimeout(() => release(count), COMMIT_LIMIT_MS)
        bump?.(count)
      })
      clearTimeout(timer)
    },
    light(set) {
      bump = set
      if (!set) release(asked)
    },
    reached: release,
  }
}
