import type { RedisOptions } from "ioredis"
import type { Clock } from "../../lib/clock.ts"

/** After how long a connection on which an answer is due and nothing comes is taken for dead, in milliseconds. */
const SILENCE_MS = 4_000

/** The longest wait between two tries to connect, in milliseconds, and the first. */
const RECONNECT_MS = { first: 20, longest: 1_000 }

/** Between two looks whether a Redis that starts has loaded its data, in milliseconds. */
const LOADING_MS = 500

/** What makes a connection of the store's own out of the user's options. */
export function ownOptions(clock: Clock) {
  return {
    keyPrefix: "",
    lazyConnect: false,
    // Scripts answer with numbers, and are read as such.
    stringNumbers: false,
    // A restarted server is used as soon as it has loaded its data, not ten seconds later.
    maxLoadingRetryTime: LOADING_MS,
    // Lost commands are sent again by the link, which knows until when, and that they may have been run.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    autoResubscribe: false,
    connectTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    // The link does it, once for all commands that are under way.
    reconnectOnError: null,
    retryStrategy: (tries: number) => Math.min(RECONNECT_MS.longest, RECONNECT_MS.first * 2 ** Math.min(tries, 10)) * (0.5 + clock.random() / 2),
  } satisfies RedisOptions
}

export type OwnOptions = ReturnType<typeof ownOptions>
