/**
 * Whether sessions can be written, looked at each second: a Redis that is full, or a replica, answers and takes nothing. What is said changes only
 * when what is seen has lasted: requests outlast a failover of a moment, and a Redis at the edge of its memory must not come and go.
 */
import { randomId } from "../../lib/randomId.ts"
import type { Clock } from "../../lib/clock.ts"
import type { RedisLink } from "./redisLink.ts"
import type { RedisTime } from "./redisTime.ts"
import { isReplyError, troubleOf } from "./redisTrouble.ts"

/** Between two looks, in milliseconds. */
export const HEALTH_MS = 1_000

/** How long a look waits for its answer, in milliseconds. */
const LOOK_LIMIT_MS = 900

/** How long writes must fail before it is said, in milliseconds: less than requests wait for Redis. */
export const FAILING_MS = 2_000

/** How long they must be taken again before that is said, in milliseconds. */
export const RECOVERED_MS = 5_000

export interface RedisHealth {
  /** What keeps sessions from being written, in words for an operator. */
  trouble(): string | undefined
  /** Looks at once: there is a connection. */
  look(): void
  close(): void
}

export interface RedisHealthOptions {
  readonly link: Pick<RedisLink, "once" | "tell">
  /** Holds a random text for as long as the data is the same. */
  readonly key: string
  readonly clock: Clock
  readonly time: Pick<RedisTime, "mark">
  /** The data is not what it was: Redis was flushed, or its file was replaced. */
  onOtherData(): void
}

export function createRedisHealth({ link, key, clock, time, onOtherData }: RedisHealthOptions): RedisHealth {
  let said: string | undefined = "The session store has no connection to Redis yet."
  let hasBeenWell = false
  /** Since when what is seen is another than what is said, by the steady clock. */
  let otherSince: number | undefined
  let mark: string | undefined
  let isLooking = false
  let isClosed = false
  let timer = clock.setTimeout(() => void look(), HEALTH_MS)

  function see(seen: string | undefined): void {
    if ((seen === undefined) === (said === undefined)) {
      said = seen
      otherSince = undefined
      return
    }
    otherSince ??= time.mark()
    const mustLast = seen !== undefined ? FAILING_MS : hasBeenWell ? RECOVERED_MS : 0
    if (time.mark() - otherSince < mustLast) return
    said = seen
    otherSince = undefined
    hasBeenWell ||= seen === undefined
  }

  /** Refused as any write is, and writes only where the key is not there. */
  async function probe(): Promise<void> {
    const next = randomId()
    const found = await link.once((redis) => redis.set(key, next, "NX", "GET"), LOOK_LIMIT_MS)
    const isOther = mark !== undefined && found !== mark
    mark = found ?? next
    if (isOther) onOtherData()
  }

  async function look(): Promise<void> {
    if (isLooking || isClosed) return
    isLooking = true
    clock.clearTimeout(timer)
    try {
      await probe()
      see(undefined)
    } catch (error) {
      const trouble = troubleOf(error)
      see(trouble)
      // Of a connection that is lost the link has told.
      if (isReplyError(error)) link.tell(trouble, error)
    }
    isLooking = false
    if (!isClosed) timer = clock.setTimeout(() => void look(), HEALTH_MS)
  }

  return {
    trouble: () => said,
    look: () => void look(),
    close() {
      isClosed = true
      clock.clearTimeout(timer)
    },
  }
}
