/**
 * What this process knows of sessions. A copy is where a write begins, which saves reading first: the write compares versions. Of a
 * session that somebody here watches, each write is told on its channel with what it changed, so the copy follows without asking.
 */
import type { LogEvent } from "../sessionState.ts"
import type { LoggedEvent } from "../sessionStore.ts"
import { type SessionCopy, withFields } from "./sessionFields.ts"

/** What is told of a write to those who watch. */
export interface ChangeMessage {
  /** The version that it was made of; `""` where there was no session. */
  readonly base: string
  readonly life: string
  /** What was written; null when it is too long to be told, and undefined when the session has ended. */
  readonly fields?: readonly (readonly [field: string, value: string])[] | null
  readonly events: readonly LogEvent[]
}

interface Entry {
  /** undefined: not known; null: there is no session. */
  copy: SessionCopy | null | undefined
  /** The copy follows every write. */
  isFollowing: boolean
  /** The copy's latest events, and the id after which they are all there. */
  events: LoggedEvent[]
  since: string
  channel: "none" | "asked" | "confirmed"
  readonly wakers: Set<{ readonly wake: () => void }>
  usedAt: number
}

export interface CacheOptions {
  readonly maxLoggedEvents: number
  /** Milliseconds of a steady clock. */
  mark(): number
  /** Listens to the channels of sessions; resolves once it is sure. */
  listen(sessionIds: readonly string[]): Promise<void>
  unlisten(sessionIds: readonly string[]): void
  /** Calls back soon, a little later each time, so that not all sessions of a process are read in one moment. */
  spread(callbacks: readonly (() => void)[]): void
}

/** How long a session that nobody watches or uses is remembered, in milliseconds: an agent's next call comes within it. */
const IDLE_MS = 60_000

/** Sessions in one SUBSCRIBE. */
const LISTEN_BATCH = 500

export type SessionCache = ReturnType<typeof createSessionCache>

export function createSessionCache({ maxLoggedEvents, mark, listen, unlisten, spread }: CacheOptions) {
  const entries = new Map<string, Entry>()
  /** Listening connections so far: what one of them was asked says nothing of the next. */
  let connections = 0

  function entryOf(id: string): Entry {
    const known = entries.get(id)
    const entry: Entry = known ?? { copy: undefined, isFollowing: false, events: [], since: "", channel: "none", wakers: new Set(), usedAt: 0 }
    entry.usedAt = mark()
    if (!known) entries.set(id, entry)
    return entry
  }

  function wake(id: string): void {
    for (const waker of [...(entries.get(id)?.wakers ?? [])]) waker.wake()
  }

  function put(entry: Entry, copy: SessionCopy | null, isFollowing: boolean): void {
    entry.copy = copy
    entry.isFollowing = isFollowing
    entry.events = []
    entry.since = copy?.last ?? ""
  }

  /** One write further, with what it said. */
  function advance(entry: Entry, copy: SessionCopy | null, events: readonly LogEvent[], isFollowing: boolean): void {
    if (!copy || entry.copy?.life !== copy.life) {
      put(entry, copy, isFollowing)
      // A log that begins with this write.
      if (copy && copy.life === copy.version) entry.since = "0-0"
    }
    entry.copy = copy
    entry.isFollowing = isFollowing
    if (!copy) return
    events.forEach((event, index) => entry.events.push({ id: `${copy.version}-${index + 1}`, event }))
    const over = entry.events.length - maxLoggedEvents
    if (over > 0) entry.since = entry.events.splice(0, over).at(-1)?.id ?? entry.since
  }

  async function ask(ids: readonly string[]): Promise<void> {
    const asked = ids.filter((id) => entries.has(id))
    const connection = connections
    const mark = (from: Entry["channel"], to: Entry["channel"]): void => {
      if (connection !== connections) return
      for (const id of asked) {
        const entry = entries.get(id)
        if (entry?.channel === from) entry.channel = to
      }
    }
    mark("none", "asked")
    try {
      await listen(asked)
      mark("asked", "confirmed")
      // What was written before it was sure has woken nobody.
      spread(asked.map((id) => () => wake(id)))
    } catch {
      // The next connection asks again, as does the next who watches.
      mark("asked", "none")
    }
  }

  return {
    wake,
    /** What a write may begin with; null where there is no session, undefined when nothing is known. */
    copyOf: (id: string): SessionCopy | null | undefined => entries.get(id)?.copy,
    /** The copy, as long as it follows every write; else undefined. */
    following(id: string): { readonly copy: SessionCopy; readonly events: readonly LoggedEvent[]; readonly since: string } | undefined {
      const entry = entries.get(id)
      return entry?.isFollowing && entry.copy ? { copy: entry.copy, events: entry.events, since: entry.since } : undefined
    },
    /** Whether a copy that is read from now on will follow. */
    isListening: (id: string): boolean => entryOf(id).channel === "confirmed",
    /** Takes what a script has said the session is. */
    learn(id: string, copy: SessionCopy | null, wasListening: boolean): void {
      const entry = entryOf(id)
      const known = entry.copy
      if (known && copy && known.life === copy.life) {
        if (Number(copy.version) < Number(known.version)) return
        if (copy.version === known.version) {
          entry.isFollowing ||= wasListening && entry.channel === "confirmed"
          return
        }
      }
      // Of two lives nobody here can tell which came last: the answer, or what was told on the channel meanwhile.
      const isSure = known === undefined || known?.life === copy?.life
      put(entry, copy, isSure && wasListening && entry.channel === "confirmed")
    },
    /** Takes what a write of this process has made of the version `base`. */
    wrote(id: string, base: string, copy: SessionCopy | null, events: readonly LogEvent[], wasListening: boolean): void {
      const entry = entryOf(id)
      const version = entry.copy?.version ?? ""
      const isFollowing = entry.channel === "confirmed" && (wasListening || (entry.isFollowing && version === base))
      if (version === base) advance(entry, copy, events, isFollowing)
      // Otherwise it was told already, with what came after it.
      else if (copy && Number(copy.version) > Number(version)) put(entry, copy, isFollowing)
    },
    /** Takes what was told on the channel of a session. */
    told(id: string, version: string, last: string, message: ChangeMessage): void {
      const entry = entries.get(id)
      if (!entry) return
      const { base, fields, events } = message
      const known = entry.copy
      const isNext = known !== undefined && (known?.version ?? "") === base
      // A write of this process, or one that was read before it was told.
      const isKnown = known != null && Number(known.version) >= Number(version)
      if (isNext && fields) {
        const life = message.life === "" ? version : message.life
        advance(entry, { life, version, last, ...withFields(known ?? undefined, fields) }, events, true)
      } else if (isNext && fields === undefined) advance(entry, null, [], true)
      else if (!isKnown) entry.isFollowing = false
      // Where writes between are missing, nobody knows what they said.
      if (events.length > 0 || fields === undefined || !(isNext || isKnown)) wake(id)
    },
    subscribe(id: string, wakeUp: () => void): () => void {
      const entry = entryOf(id)
      const waker = { wake: wakeUp }
      entry.wakers.add(waker)
      if (entry.channel === "none") void ask([id])
      return () => {
        entry.wakers.delete(waker)
        entry.usedAt = mark()
      }
    },
    /** Nothing is known any more: what was written may be lost. */
    forget(): void {
      for (const entry of entries.values()) {
        entry.copy = undefined
        entry.isFollowing = false
      }
    },
    /** All channels are to be listened to anew. */
    listenAgain(): void {
      connections++
      const ids = [...entries].filter(([, { wakers }]) => wakers.size > 0).map(([id]) => id)
      for (const entry of entries.values()) {
        entry.channel = "none"
        entry.isFollowing = false
      }
      for (let index = 0; index < ids.length; index += LISTEN_BATCH) void ask(ids.slice(index, index + LISTEN_BATCH))
    },
    wakeAll(): void {
      spread([...entries].filter(([, { wakers }]) => wakers.size > 0).map(([id]) => () => wake(id)))
    },
    /** Lets go of what nobody has used for long. */
    tidy(): void {
      const idle = [...entries].filter(([, { wakers, usedAt }]) => wakers.size === 0 && mark() - usedAt > IDLE_MS)
      for (const [id] of idle) entries.delete(id)
      const listening = idle.filter(([, { channel }]) => channel !== "none").map(([id]) => id)
      if (listening.length > 0) unlisten(listening)
    },
  }
}
