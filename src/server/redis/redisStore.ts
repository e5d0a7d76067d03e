import { Redis } from "ioredis"
import { randomId } from "../../lib/randomId.ts"
import type { LogEvent } from "../sessionState.ts"
import type { LoggedEvent, SessionStorage, SessionStore, SessionView, StoreOptions } from "../sessionStore.ts"
import { eventIdOf, isBefore, readEventId } from "./logIds.ts"
import { readTold } from "./readTold.ts"
import { createRedisKeys } from "./redisKeys.ts"
import { checkRedisUrl } from "./redisAddress.ts"
import type { OwnOptions } from "./ownOptions.ts"
import { createRedisHealth } from "./redisHealth.ts"
import { createRedisLink, storeUnavailable } from "./redisLink.ts"
import { READ } from "./redisScripts.ts"
import { createRedisTime } from "./redisTime.ts"
import { createDueSessions } from "./dueSessions.ts"
import { type ChangeMessage, createSessionCache } from "./sessionCache.ts"
import type { SessionCopy } from "./sessionFields.ts"
import { createSessionWrites } from "./sessionWrites.ts"

interface CommonOptions {
  /**
   * What all keys and channels begin with. Servers that share sessions share it, others must not.
   * @default "rtc:"
   */
  readonly prefix?: string | undefined
}

/** Where Redis is: as a URL, or as a client whose options are taken over. */
export type RedisStoreOptions = CommonOptions &
  (
    | {
        /** Such as `redis://user:password@host:6379/0`, or `rediss://` for TLS. */
        readonly url: string
        readonly client?: undefined
      }
    | {
        /** For all that a URL does not say, Sentinel for example. It is only read: the store opens two connections with the same options, and closes those. */
        readonly client: Redis
        readonly url?: undefined
      }
  )

/** Sessions that are read in one turn when all must be, after a connection was lost. */
const SPREAD = { sessions: 200, everyMs: 20 }

/** How long a store that closes waits for writes that are under way, in milliseconds. */
const CLOSING_MS = 1_000

function connector(options: RedisStoreOptions): (own: OwnOptions) => Redis {
  const { url, client } = options
  if (client !== undefined) {
    if (client instanceof Redis) return (own) => client.duplicate(own)
    throw new TypeError("redisStore: client must be an ioredis client of one Redis, or of one behind Sentinel: new Redis(…). A Cluster is not supported.")
  }
  checkRedisUrl(url)
  return (own) => new Redis(url, own)
}

/**
 * Keeps sessions in Redis 7 or Valkey, for any number of server processes: pages and agents may come to any of them, and to another each
 * time. Redis must not evict keys (`maxmemory-policy noeviction`, its default), and should write its log often: see docs/scaling.md.
 *
 * @throws TypeError for a `url` that is none
 * @example
 * const server = createSessionServer({ apiKey, secret, store: redisStore({ url: "redis://127.0.0.1:6379" }) })
 */
export function redisStore(options: RedisStoreOptions): SessionStorage {
  const connect = connector(options)
  const database = options.client?.options.db ?? (options.url === undefined ? 0 : new URL(options.url).pathname.slice(1))
  const keys = createRedisKeys((options.client?.options.keyPrefix ?? "") + (options.prefix ?? "rtc:"), Number(database))
  return { open: (given) => openStore(connect, keys, given) }
}

function openStore(connect: (own: OwnOptions) => Redis, keys: ReturnType<typeof createRedisKeys>, { clock, maxLoggedEvents, onError }: StoreOptions): SessionStore {
  const time = createRedisTime({ now: () => clock.now() })
  let isClosed = false

  /** A few now, and more soon. */
  function spread(callbacks: readonly (() => void)[]): void {
    for (const callback of callbacks.slice(0, SPREAD.sessions)) callback()
    if (callbacks.length > SPREAD.sessions) clock.setTimeout(() => spread(callbacks.slice(SPREAD.sessions)), SPREAD.everyMs)
  }

  const channelsOf = (ids: readonly string[]): string[] => ids.map((id) => keys.of(id).channel)
  const cache = createSessionCache({
    maxLoggedEvents,
    mark: time.mark,
    listen: (ids) => link.subscribe(channelsOf(ids)),
    unlisten: (ids) => link.unsubscribe(channelsOf(ids)),
    spread,
  })
  const link = createRedisLink({
    connect,
    clock,
    time,
    onNewEpoch() {
      cache.forget()
      cache.wakeAll()
    },
    onReady: () => health.look(),
    onListening: () => cache.listenAgain(),
    onMessage(channel, text) {
      const [version = "", last = ""] = text.split(" ", 2)
      const message = JSON.parse(text.slice(version.length + last.length + 2)) as ChangeMessage
      cache.told(keys.sessionOf(channel), version, last, message)
    },
    onError,
  })
  const writes = createSessionWrites({ clock, link, keys, cache, time, maxLoggedEvents, writer: randomId().slice(0, 16) })
  const health = createRedisHealth({ link, key: keys.data, clock, time, onOtherData: link.startEpoch })
  const due = createDueSessions({ link, keys, clock, time, onTick: () => cache.tidy() })

  /** Asks Redis, which says no more than what has changed since this process knew it. */
  async function ask(id: string, after: string): Promise<{ copy: SessionCopy | null; events: LoggedEvent[] | null }> {
    const before = cache.copyOf(id) ?? undefined
    const wasListening = cache.isListening(id)
    const { session, log, changes } = keys.of(id)
    const { epoch } = link
    const known = () => (before && link.epoch === epoch ? [before.life, before.version] : ["", ""])
    const [, told, events] = (await link.run(READ, [session, log, changes], () => [...known(), after])) as [
      number,
      unknown,
      [string, string][] | "",
    ]
    const { copy } = readTold(before, told)
    cache.learn(id, copy, wasListening)
    return { copy, events: events === "" ? null : events.map(([eventId, json]) => ({ id: eventId, event: JSON.parse(json) as LogEvent })) }
  }

  /** Ids of the log as streams see them say which life of the session they are of. */
  const viewOf = ({ life, session, last }: SessionCopy, events: readonly LoggedEvent[] | null): SessionView => ({
    session,
    events: events && events.map(({ id, event }) => ({ id: eventIdOf(life, id), event })),
    lastEventId: eventIdOf(life, last),
  })

  return {
    now: time.now,
    update(id, transition, options) {
      if (isClosed) return Promise.reject(storeUnavailable(new Error("The session store is closed.")))
      return writes.update(id, transition, options)
    },
    read: async (id) => (await ask(id, "")).copy?.session,
    async view(id, afterEventId) {
      const known = cache.following(id)
      if (afterEventId === undefined) {
        if (known) return viewOf(known.copy, [])
        const { copy } = await ask(id, "")
        return copy ? viewOf(copy, []) : undefined
      }
      const after = readEventId(afterEventId)
      if (known && after?.life === known.copy.life && !isBefore(after.logId, known.since) && !isBefore(known.copy.last, after.logId)) {
        return viewOf(known.copy, known.events.filter((event) => isBefore(after.logId, event.id)))
      }
      const { copy, events } = await ask(id, after?.logId ?? "")
      return copy ? viewOf(copy, after?.life === copy.life ? events : null) : undefined
    },
    subscribe: cache.subscribe,
    onDue: due.onDue,
    trouble: health.trouble,
    close() {
      if (isClosed) return
      isClosed = true
      due.close()
      health.close()
      const timer = clock.setTimeout(() => link.close(), CLOSING_MS)
      void writes.settled().then(() => {
        clock.clearTimeout(timer)
        link.close()
      })
    },
  }
}
