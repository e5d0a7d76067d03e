/**
 * Redis' time, as well as a process can know it: processes' clocks differ, and what one writes another must be able to call due.
 * Each script's answer carries Redis' time; the true moment lies between its sending and its arrival, so half of that is the error.
 */
export interface RedisTime {
  /** Milliseconds since the epoch, by Redis' clock. */
  now(): number
  /** Takes a sample: Redis said `redisMs` between two readings of {@link RedisTime.mark}. */
  sample(redisMs: number, sentAt: number, receivedAt: number): void
  /** A reading of this process's steady clock, in milliseconds. */
  mark(): number
}

/** By how much an estimate may be worse after a millisecond: clocks drift less than this, and a fresher sample is as good. */
const DRIFT = 0.001

/**
 * @param options.steady - Milliseconds of a clock that is never set. `@default` performance.now
 * @param options.now - Milliseconds since the epoch before the first sample.
 */
export function createRedisTime({ steady = () => performance.now(), now }: { steady?: () => number; now: () => number }): RedisTime {
  let offset: number | undefined
  let error = Infinity
  let takenAt = 0

  return {
    now: () => Math.round(offset === undefined ? now() : steady() + offset),
    mark: steady,
    sample(redisMs, sentAt, receivedAt) {
      // Redis cuts its time to whole milliseconds.
      const sampled = redisMs + 0.5 - (sentAt + receivedAt) / 2
      const sampledError = 0.5 + (receivedAt - sentAt) / 2
      const knownError = error + (receivedAt - takenAt) * DRIFT
      // Where both cannot be true, a clock was set or another Redis answers.
      const isContradiction = offset !== undefined && Math.abs(sampled - offset) > sampledError + knownError
      if (sampledError > knownError && !isContradiction) return
      offset = sampled
      error = sampledError
      takenAt = receivedAt
    },
  }
}
