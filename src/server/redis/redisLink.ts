/**
 * The two connections of a store: one for scripts, one that listens. Both are opened again whenever they are lost. A script is sent again
 * when its connection was lost before its answer came, so it must bear being run twice; nothing waits longer than {@link OPERATION_MS}.
 */
import type { Redis } from "ioredis"
import type { Clock, TimerHandle } from "../../lib/clock.ts"
import { SessionServerError } from "../sessionServerError.ts"
import { type OwnOptions, ownOptions } from "./ownOptions.ts"
import type { RedisScript } from "./redisScripts.ts"
import type { RedisTime } from "./redisTime.ts"
import { isReplyError, readInfo, troubleOf } from "./redisTrouble.ts"

/** How long a request waits for Redis, lost connections included, in milliseconds: pages and agents try again, and their proxies do not wait for ever. */
export const OPERATION_MS = 5_000

/** How often the listening connection is asked for a sign of life, in milliseconds. */
const LISTENER_PING_MS = 2_000

/** Before a script is sent again that Redis could not run just now, in milliseconds. */
const BUSY_MS = 50

/** Before a server is greeted again that was not as it must be, in milliseconds. */
const GREET_AGAIN_MS = 1_000

/** The same trouble is met many times a second, and is told once in so many milliseconds. */
const TELL_AGAIN_MS = 30_000

/** Redis says that it cannot now, and may be able to soon: it is loading, or was made a replica. */
const PASSING = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|UNBLOCKED)\b/

export interface LinkEvents {
  /** A connection for scripts stands, of another epoch than before. */
  onNewEpoch(): void
  /** A connection for scripts stands. */
  onReady(): void
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
  /** One command, sent once: for what is asked again anyway. Rejects with what is wrong, after `ms` at the latest. */
  once<Value>(command: (redis: Redis) => Promise<Value>, ms: number): Promise<Value>
  /** Trusts nothing any more that was known of what is in Redis. */
  startEpoch(): void
  /** Tells the operator, not too often. */
  tell(message: string, error: unknown): void
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

  const toldAt = new Map<string, number>()
  function tell(message: string, error: unknown): void {
    const last = toldAt.get(message) ?? -Infinity
    if (isClosed || time.mark() - last < TELL_AGAIN_MS) return
    toldAt.set(message, time.mark())
    events.onError(message, error)
  }

  /** What is wrong with each connection. */
  const failing = new Map<Redis, unknown>()
  function fail(redis: Redis, error: unknown): void {
    // Said once, until it is well again.
    const isFirst = !failing.has(redis)
    failing.set(redis, error)
    if (isFirst) tell(troubleOf(error), error)
  }
  const isWell = (redis: Redis): void => {
    if (failing.delete(redis)) toldAt.clear()
  }
  for (const redis of [commands, listener]) redis.on("error", (error: unknown) => fail(redis, error))

  function startEpoch(): void {
    epoch++
    events.onNewEpoch()
  }

  let greeting: TimerHandle
  async function greet(): Promise<void> {
    const sentAt = time.mark()
    const [seconds, micros] = await commands.time()
    time.sample(Number(seconds) * 1000 + Math.floor(Number(micros) / 1000), sentAt, time.mark())
    // Where it may not be asked, each connection counts as one to another server.
    const info = readInfo(await commands.info().catch(() => ""))
    if (info.unsuitable) throw info.unsuitable
    if (info.warning !== undefined) tell(info.warning, undefined)
    const isSame = info.runId !== undefined && info.runId === runId
    runId = info.runId
    isReady = true
    isWell(commands)
    if (!isSame) {
      // What listens must be where it is written.
      if (epoch > 0 && listener.status === "ready") listener.disconnect(true)
      startEpoch()
    }
    events.onReady()
    for (const resume of [...waiting]) resume()
  }
  commands.on("ready", () => {
    greet().catch((error: unknown) => {
      fail(commands, error)
      // Done again with the next connection, if it is not lost anyway.
      clock.clearTimeout(greeting)
      if (!isClosed) greeting = clock.setTimeout(() => commands.status === "ready" && !isReady && commands.disconnect(true), GREET_AGAIN_MS)
    })
  })
  commands.on("close", () => (isReady = false))
  listener.on("ready", () => {
    isWell(listener)
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

  /** What was the primary is a replica now: its name, or Sentinel, may lead to the new one. */
  function seekPrimary(error: unknown): void {
    if (!isReplyError(error) || !error.message.startsWith("READONLY") || commands.status !== "ready" || !isReady) return
    isReady = false
    commands.disconnect(true)
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
          if (isReplyError(error)) {
            seekPrimary(error)
            tell(troubleOf(error), error)
            if (!PASSING.test(error.message)) break
          }
          await pause(BUSY_MS)
        }
      }
      throw storeUnavailable(failure)
    },
    async once(command, ms) {
      const failure = failing.get(commands)
      if (!isReady) throw failure instanceof Error ? failure : new Error("No connection to Redis", { cause: failure })
      return within(command(commands), ms).catch((error: unknown) => {
        seekPrimary(error)
        throw error
      })
    },
    startEpoch,
    tell,
    async subscribe(channels) {
      try {
        await listener.subscribe(...channels)
      } catch (error) {
        if (isReplyError(error)) tell(troubleOf(error), error)
        throw error
      }
    },
    unsubscribe: (channels) => void listener.unsubscribe(...channels).catch(() => {}),
    close() {
      isClosed = true
      clock.clearTimeout(pinging)
      clock.clearTimeout(greeting)
      for (const resume of [...waiting]) resume()
      commands.disconnect()
      listener.disconnect()
    },
  }
}
