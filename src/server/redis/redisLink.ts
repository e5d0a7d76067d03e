/**
 * The two connections of a store: one for scripts, one that listens. Both are opened again whenever they are lost. A script is sent again
 * when its connection was lost before its answer came, so it must bear being run twice; nothing waits longer than {@link OPERATION_MS}.
 */
import type { Redis } from "ioredis"
import type { Clock } from "../../lib/clock.ts"
import { SessionServerError } from "../sessionServerError.ts"
import { type OwnOptions, ownOptions } from "./ownOptions.ts"
import type { RedisScript } from "./redisScripts.ts"
import type { RedisTime } from "./redisTime.ts"

/** How long a request waits for Redis, lost connections included, in milliseconds: pages and agents try again, and their proxies do not wait for ever. */
export const OPERATION_MS = 5_000

/** How often the listening connection is asked for a sign of life, in milliseconds. */
const LISTENER_PING_MS = 2_000

/** Before a script is sent again that Redis could not run just now, in milliseconds. */
const BUSY_MS = 50

/** Redis says that it cannot now, and may be able to soon: it is loading, or was made a replica. */
const PASSING = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|UNBLOCKED)\b/

export interface LinkEvents {
  /** A connection for scripts stands, of another epoch than before. */
  onNewEpoch(): void
  /** A listening connection stands, with no channels yet. */
  onListening(): void
  onMessage(channel: string, text: string): void
  onError(message: string, error: unknown): void
}

export type ScriptArguments = readonly (string | number)[]

export interface RedisLink {
  /** Grows with each connection to another server, or to one that was restarted: it may not know all that was written before. */
  readonly epoch: number
  /** Runs a script; `args` is asked each time that it is sent. Rejects with 503 `store_unavailable`. */
  run(script: RedisScript, keys: readonly string[], args: () => ScriptArguments): Promise<unknown>
  /** Resolves once Redis has confirmed it; rejects when the connection is lost before. */
  subscribe(channels: readonly string[]): Promise<void>
  unsubscribe(channels: readonly string[]): void
  close(): void
}

export const storeUnavailable = (cause: unknown): SessionServerError =>
  new SessionServerError(503, "store_unavailable", "The server cannot reach its sessions at the moment. Try again.", {
    cause,
    headers: { "retry-after": "1" },
  })

const isReplyError = (error: unknown): error is Error => error instanceof Error && error.name === "ReplyError"

export interface LinkOptions extends LinkEvents {
  /** Makes a connection with these options over the user's. */
  connect(options: OwnOptions): Redis
  readonly clock: Clock
  readonly time: RedisTime
}

export function createRedisLink({ connect, clock, time, ...events }: LinkOptions): RedisLink {
  const commands = connect(ownOptions(clock))
  const listener = connect(ownOptions(clock))
  /** Of the server that was connected last. */
  let runId: string | undefined
  let epoch = 0
  let isClosed = false
  /** The connection that has been greeted: its time is known, and which server it is. */
  let isReady = false
  const waiting = new Set<() => void>()

  /** Said once, until it is well again. */
  const failing = new Set<Redis>()
  function fail(redis: Redis, error: unknown): void {
    if (isClosed || failing.has(redis)) return
    failing.add(redis)
    const what = redis === commands ? "reading and writing" : "listening"
    events.onError(`The session store has no connection to Redis for ${what}; it keeps trying.`, error)
  }
  for (const redis of [commands, listener]) redis.on("error", (error: unknown) => fail(redis, error))

  async function greet(): Promise<void> {
    const sentAt = time.mark()
    const [seconds, micros] = await commands.time()
    time.sample(Number(seconds) * 1000 + Math.floor(Number(micros) / 1000), sentAt, time.mark())
    // Where it may not be asked, each connection counts as one to another server.
    const info = await commands.info("server").catch(() => "")
    const found = /^run_id:(\w+)/m.exec(info)?.[1]
    const isSame = found !== undefined && found === runId
    runId = found
    isReady = true
    failing.delete(commands)
    if (!isSame) {
      // What listens must be where it is written.
      if (epoch > 0 && listener.status === "ready") listener.disconnect(true)
      epoch++
      events.onNewEpoch()
    }
    for (const resume of [...waiting]) resume()
  }
  commands.on("ready", () => {
    greet().catch((error: unknown) => {
      fail(commands, error)
      // Done again with the next connection, if it is not lost anyway.
      if (commands.status === "ready") commands.disconnect(true)
    })
  })
  commands.on("close", () => (isReady = false))
  listener.on("ready", () => {
    failing.delete(listener)
    events.onListening()
  })
  listener.on("message", (channel: string, text: string) => events.onMessage(channel, text))

  let pinging = clock.setTimeout(ping, LISTENER_PING_MS)
  function ping(): void {
    pinging = clock.setTimeout(ping, LISTENER_PING_MS)
    // An answer that does not come is noticed by the connection's own limit.
    if (listener.status === "ready") listener.ping().catch(() => {})
  }

  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.setTimeout(resolve, ms))

  /** Resolves when scripts can be sent, or when the time is over. */
  const untilReady = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (isReady || isClosed) return resolve()
      const resume = (): void => {
        waiting.delete(resume)
        clock.clearTimeout(timer)
        resolve()
      }
      const timer = clock.setTimeout(resume, ms)
      waiting.add(resume)
    })

  const within = <Value>(promise: Promise<Value>, ms: number): Promise<Value> =>
    new Promise((resolve, reject) => {
      const timer = clock.setTimeout(() => reject(new Error("Redis does not answer")), ms)
      void promise.then(resolve, reject).finally(() => clock.clearTimeout(timer))
    })

  /** Now and then: it is tried many times a second, and may last. */
  let toldPassingAt = -Infinity
  function tellPassing(error: Error): void {
    if (isClosed || time.mark() - toldPassingAt < OPERATION_MS) return
    toldPassingAt = time.mark()
    events.onError("Redis cannot do at present what the session store asks; it keeps trying.", error)
  }

  async function send(script: RedisScript, keys: readonly string[], args: ScriptArguments): Promise<unknown> {
    try {
      return await commands.evalsha(script.sha, keys.length, ...keys, ...args)
    } catch (error) {
      if (!isReplyError(error) || !error.message.startsWith("NOSCRIPT")) throw error
      return commands.eval(script.lua, keys.length, ...keys, ...args)
    }
  }

  return {
    get epoch() {
      return epoch
    },
    async run(script, keys, args) {
      const until = time.mark() + OPERATION_MS
      let failure: unknown = new Error("No connection to Redis")
      for (let left = OPERATION_MS; left > 0 && !isClosed; left = until - time.mark()) {
        await untilReady(left)
        if (!isReady) break
        try {
          const sentAt = time.mark()
          const answer = await within(send(script, keys, args()), until - sentAt)
          const [ms] = answer as [number]
          time.sample(ms, sentAt, time.mark())
          return answer
        } catch (error) {
          failure = error
          if (isReplyError(error) && !PASSING.test(error.message)) {
            events.onError("Redis refuses what the session store asks.", error)
            break
          }
          if (isReplyError(error)) tellPassing(error)
          await pause(BUSY_MS)
        }
      }
      throw storeUnavailable(failure)
    },
    async subscribe(channels) {
      try {
        await listener.subscribe(...channels)
      } catch (error) {
        if (isReplyError(error)) events.onError("Redis refuses to let the session store listen.", error)
        throw error
      }
    },
    unsubscribe: (channels) => void listener.unsubscribe(...channels).catch(() => {}),
    close() {
      isClosed = true
      clock.clearTimeout(pinging)
      for (const resume of [...waiting]) resume()
      commands.disconnect()
      listener.disconnect()
    },
  }
}
