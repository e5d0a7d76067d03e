/**
 * Runs steps on sessions in Redis: on what this process knows, at once, then written if the session is still what it was, else again on
 * what Redis says that it is. What comes while a write is under way is gathered and written together by the next.
 */
import type { Clock } from "../../lib/clock.ts"
import { nextDueAt, type LogEvent, type SessionState } from "../sessionState.ts"
import type { Transition, UpdateOptions } from "../sessionStore.ts"
import { readTold, type Told } from "./readTold.ts"
import type { RedisKeys } from "./redisKeys.ts"
import { OPERATION_MS, type RedisLink, type ScriptArguments, storeUnavailable } from "./redisLink.ts"
import { COMMIT, COMMIT_END } from "./redisScripts.ts"
import type { RedisTime } from "./redisTime.ts"
import type { ChangeMessage, SessionCache } from "./sessionCache.ts"
import { changesBetween, type FieldChanges, type SessionCopy } from "./sessionFields.ts"

/**
 * By how much the time that a step was given may be off when it is written, in milliseconds. A process that was stopped in between, and a
 * write that was held up on its way, run the step again; far below the shortest time of the protocol, a ttl of one second.
 */
const MAX_SKEW_MS = 500

/**
 * How long a step that nobody waits for is held back for the next one of its session, in milliseconds: an ack, for the answer of a quick tool. Far
 * less than the ten seconds after which a call that is not acked is sent again.
 */
const GATHER_MS = 20

/** Steps in one write. */
const MAX_BATCH = 64

/** Characters of what a write changed up to which it is told on the channel; whoever watches reads more than that by itself. */
const MAX_TOLD = 16_384

interface Waiting {
  readonly transition: Transition<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** What a batch of steps has come to, as long as the session is what it was. */
interface Attempt {
  readonly session: SessionState | undefined
  readonly events: readonly LogEvent[]
  /** Tells each of them; as many as were run. */
  readonly tell: readonly (() => void)[]
}

/** Runs steps one after the other. A session's end ends the batch: what follows begins another life. */
function runSteps(batch: readonly Waiting[], before: SessionState | undefined, now: number): Attempt {
  let session = before
  const events: LogEvent[] = []
  const tell: (() => void)[] = []
  for (const { transition, resolve, reject } of batch) {
    try {
      const outcome = transition(session, now)
      const isEnd = session !== undefined && outcome.session === undefined
      session = outcome.session
      events.push(...outcome.events)
      tell.push(() => resolve(outcome.result))
      if (isEnd) break
    } catch (error) {
      tell.push(() => reject(error))
    }
  }
  return { session, events, tell }
}

export interface SessionWritesOptions {
  readonly clock: Clock
  readonly link: RedisLink
  readonly keys: RedisKeys
  readonly cache: SessionCache
  readonly time: RedisTime
  readonly maxLoggedEvents: number
  /** This process, among all that write. */
  readonly writer: string
}

export interface SessionWrites {
  update<Result>(sessionId: string, transition: Transition<Result>, options?: UpdateOptions): Promise<Result>
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
}

export function createSessionWrites({ clock, link, keys, cache, time, maxLoggedEvents, writer }: SessionWritesOptions): SessionWrites {
  const queues = new Map<string, Waiting[]>()
  const running = new Set<Promise<void>>()
  /** Ends what a session's patient steps wait for. */
  const gathering = new Map<string, () => void>()
  let writes = 0

  function messageOf(before: SessionCopy | undefined, attempt: Attempt, changes: FieldChanges | undefined): string {
    const base = { base: before?.version ?? "", life: before?.life ?? "" }
    if (!changes) return JSON.stringify({ ...base, events: [] } satisfies ChangeMessage)
    const fields = [...changes.set, ...changes.removed.map((field) => [field, ""] as const)]
    const whole = JSON.stringify({ ...base, fields, events: attempt.events } satisfies ChangeMessage)
    return whole.length <= MAX_TOLD ? whole : JSON.stringify({ ...base, fields: null, events: attempt.events } satisfies ChangeMessage)
  }

  /** Sends one attempt. Gives what was made, or what the session is instead; `"skew"` when it took too long. */
  async function commit(id: string, before: SessionCopy | undefined, attempt: Attempt, now: number, epoch: number): Promise<{ made: SessionCopy | null } | { instead: Told } | "skew"> {
    const { session, events } = attempt
    const isSame = session === before?.session && events.length === 0
    const changes = session && !isSame ? changesBetween(before, session) : undefined
    const { session: key, log, changes: changed, due, channel } = keys.of(id)
    const dueAt = session ? nextDueAt(session) : null
    const write = ++writes
    const args = (): ScriptArguments => [
      id,
      channel,
      writer,
      write,
      before?.life ?? "",
      before?.version ?? "",
      // Another server may not know what the session was before.
      link.epoch === epoch ? 1 : 0,
      isSame ? "check" : session ? "put" : "end",
      now,
      MAX_SKEW_MS,
      dueAt === null ? "" : Math.ceil(dueAt),
      maxLoggedEvents,
      isSame ? "" : messageOf(before, attempt, changes),
      changes?.set.length ?? 0,
      changes?.removed.length ?? 0,
      events.length,
      ...(changes?.set.flat() ?? []),
      ...(changes?.removed ?? []),
      ...events.map((event) => JSON.stringify(event)),
    ]
    const answer = await link.run(session ? COMMIT : COMMIT_END, [key, log, changed, due], args)
    const [, status, ...rest] = answer as [ms: number, status: string, ...rest: unknown[]]
    if (status === "skew") return "skew"
    if (status === "stale") return { instead: readTold(before, rest[0]) }
    if (!session) return { made: null }
    const [life, version, last] = rest as [string, string, string]
    return { made: { life, version, last, session, ranks: changes?.ranks ?? before?.ranks ?? new Map<string, number>() } }
  }

  /** Runs the first of these steps until they are written; gives how many. */
  async function write(id: string, batch: readonly Waiting[]): Promise<number> {
    const until = time.mark() + OPERATION_MS
    let before = cache.copyOf(id) ?? undefined
    let epoch = link.epoch
    while (time.mark() < until) {
      const wasListening = cache.isListening(id)
      const now = time.now()
      const attempt = runSteps(batch, before?.session, now)
      const outcome = await commit(id, before, attempt, now, epoch)
      if (outcome === "skew") continue
      if ("instead" in outcome) {
        before = outcome.instead.copy ?? undefined
        epoch = link.epoch
        cache.learn(id, outcome.instead.copy, wasListening)
        continue
      }
      const isChanged = attempt.session !== before?.session || attempt.events.length > 0
      if (isChanged) cache.wrote(id, before?.version ?? "", outcome.made, attempt.events, wasListening)
      else cache.learn(id, outcome.made, wasListening)
      for (const tell of attempt.tell) tell()
      // A ping changes only when its client expires, and nobody waits for that.
      if (attempt.events.length > 0 || (isChanged && !outcome.made)) cache.wake(id)
      return attempt.tell.length
    }
    throw storeUnavailable(new Error("Other processes write to the session all the time, or clocks differ"))
  }

  async function drain(id: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, MAX_BATCH)
      try {
        queue.splice(0, await write(id, batch))
      } catch (error) {
        queue.splice(0, batch.length)
        for (const { reject } of batch) reject(error)
      }
    }
    queues.delete(id)
  }

  /** Resolves when the time is over, or with the first step that does not wait. */
  const gather = (id: string): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        gathering.delete(id)
        clock.clearTimeout(timer)
        resolve()
      }
      const timer = clock.setTimeout(end, GATHER_MS)
      gathering.set(id, end)
    })

  return {
    update: <Result>(id: string, transition: Transition<Result>, { isPatient = false }: UpdateOptions = {}) =>
      new Promise<Result>((resolve, reject) => {
        const waiting: Waiting = { transition, resolve: (result) => resolve(result as Result), reject }
        const queue = queues.get(id)
        if (queue) {
          queue.push(waiting)
          if (!isPatient) gathering.get(id)?.()
          return
        }
        const first = [waiting]
        queues.set(id, first)
        const run = (isPatient ? gather(id).then(() => drain(id, first)) : drain(id, first)).finally(() => running.delete(run))
        running.add(run)
      }),
    async settled() {
      for (const end of [...gathering.values()]) end()
      await Promise.all(running)
    },
  }
}
