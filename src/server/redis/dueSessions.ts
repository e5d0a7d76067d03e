import type { Clock } from "../../lib/clock.ts"
import type { RedisKeys } from "./redisKeys.ts"
import type { RedisLink } from "./redisLink.ts"
import { TAKE_DUE } from "./redisScripts.ts"
import type { RedisTime } from "./redisTime.ts"

/** How often each process looks for sessions that are due, in milliseconds: what time settles is late by so much at most. */
export const LOOK_MS = 1_000

/** How long the process that takes a session has for it, in milliseconds; after that it is due again, in case the process has died. */
const TAKEN_MS = 5_000

/** Sessions that one process takes of one shard at a time. */
const MAX_TAKEN = 100

export interface DueSessions {
  onDue(sweep: (sessionId: string) => void): () => void
  close(): void
}

export interface DueSessionsOptions {
  readonly link: RedisLink
  readonly keys: RedisKeys
  readonly clock: Clock
  readonly time: RedisTime
  /** Called at each look. */
  onTick(): void
}

/** Looks for what is due by Redis' time, as every process does: one of them takes each session, and others where it does not come back. */
export function createDueSessions({ link, keys, clock, time, onTick }: DueSessionsOptions): DueSessions {
  const sweepers = new Set<(sessionId: string) => void>()
  let isClosed = false
  let timer = clock.setTimeout(() => void look(), 0)

  /** Gives when the shard's next session is due. */
  async function take(due: string): Promise<number> {
    const [, ids, next] = (await link.run(TAKE_DUE, [due], () => [MAX_TAKEN, TAKEN_MS])) as [number, string[], string]
    if (!isClosed) for (const id of ids) for (const sweep of [...sweepers]) sweep(id)
    // As many as were asked for: there may be more.
    if (ids.length === MAX_TAKEN) return 0
    return next === "" ? Infinity : Number(next)
  }

  async function look(): Promise<void> {
    onTick()
    // What cannot be reached now is looked for again; the link says what is wrong.
    const times = await Promise.all(keys.due.map((due) => take(due).catch(() => Infinity)))
    if (isClosed) return
    const next = Math.min(...times) - time.now()
    timer = clock.setTimeout(() => void look(), Math.min(LOOK_MS, Math.max(next, 1)))
  }

  return {
    onDue(sweep) {
      sweepers.add(sweep)
      return () => sweepers.delete(sweep)
    },
    close() {
      isClosed = true
      clock.clearTimeout(timer)
    },
  }
}
