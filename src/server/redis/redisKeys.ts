/**
 * Where a session lies in Redis. All keys that one script touches share a hash tag, so they lie in one slot of a cluster, and sessions are
 * spread over {@link SHARDS} tags.
 */

/** How many parts the sessions are spread over. Processes that share sessions must agree on it, so it is no option. */
export const SHARDS = 16

export interface SessionKeys {
  /** The session's fields: its version, where its log ends, who wrote last, and its state (see `sessionFields.ts`). */
  readonly session: string
  /** A stream: the log. */
  readonly log: string
  /** A sorted set: at which version each field was written or removed last. */
  readonly changes: string
  /** A sorted set of the shard: when each session must be looked at, in milliseconds of Redis' time. */
  readonly due: string
  /** Where each write is told to the processes that watch the session. */
  readonly channel: string
}

export interface RedisKeys {
  of(sessionId: string): SessionKeys
  /** A random text that is there as long as the data is the same. */
  readonly data: string
  /** The sorted sets of all shards. */
  readonly due: readonly string[]
  /** The session whose channel it is. */
  sessionOf(channel: string): string
}

/** FNV-1a, 32 bits: spreads ids that applications choose, too. */
function shardOf(sessionId: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < sessionId.length; index++) hash = Math.imul(hash ^ sessionId.charCodeAt(index), 0x01000193)
  return (hash >>> 0) % SHARDS
}

/** @param database - Channels are the same in all databases of a Redis, so that each but the first has its own. */
export function createRedisKeys(prefix: string, database = 0): RedisKeys {
  const tag = (shard: number): string => `${prefix}{${shard}}:`
  const channels = database === 0 ? `${prefix}changed:` : `${prefix}changed:${database}/`
  const dueOf = (shard: number): string => `${tag(shard)}due`
  return {
    of(sessionId) {
      const shard = shardOf(sessionId)
      const key = (kind: string): string => `${tag(shard)}${kind}:${sessionId}`
      return { session: key("session"), log: key("log"), changes: key("changes"), due: dueOf(shard), channel: channels + sessionId }
    },
    data: `${tag(0)}data`,
    due: Array.from({ length: SHARDS }, (_, shard) => dueOf(shard)),
    sessionOf: (channel) => channel.slice(channels.length),
  }
}
