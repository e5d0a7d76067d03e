import { callSafely } from "../lib/callSafely.ts"
import { sessionNotFound } from "./callWaiter.ts"
import { type ModelTool, modelTools } from "./modelTools.ts"
import type { SessionState } from "./sessionState.ts"
import type { SessionStore } from "./sessionStore.ts"
import type { SessionWaiter, WaitOptions } from "./sessionWaiter.ts"

export interface ToolList {
  readonly tools: readonly ModelTool[]
  /** The same for the same tools: a strong `ETag` (RFC 9110 §8.8.3). */
  readonly etag: string
}

export interface ToolLists {
  /** Rejects with `session_not_found`. */
  read(sessionId: string): Promise<ToolList>
  /** Resolves once the list is another than that of `etag`, or to undefined when the wait is over. */
  change(sessionId: string, etag: string, options: WaitOptions): Promise<ToolList | undefined>
  /** Tells the listener the tools soon, and then each change; returns what stops it. */
  watch(sessionId: string, listener: (tools: readonly ModelTool[]) => void): () => void
  /** Stops all who watch. */
  close(): void
}

async function listOf(session: SessionState): Promise<ToolList> {
  const tools = modelTools(session)
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(tools)))
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
  return { tools, etag: `"${hex}"` }
}

export interface ToolListsOptions {
  readonly store: SessionStore
  readonly waiter: SessionWaiter
  /** Hears what a listener throws, and a store that cannot be read. */
  readonly report: (error: unknown) => void
}

/** What a session offers, read, waited for and watched. A session that is not there (yet) offers nothing to those who watch it. */
export function createToolLists({ store, waiter, report }: ToolListsOptions): ToolLists {
  const stops = new Set<() => void>()

  return {
    async read(sessionId) {
      const session = await store.read(sessionId)
      if (!session) throw sessionNotFound(sessionId)
      return listOf(session)
    },
    change: (sessionId, etag, options) =>
      waiter.until(
        sessionId,
        async (session) => {
          if (!session) throw sessionNotFound(sessionId)
          const list = await listOf(session)
          return list.etag === etag ? undefined : list
        },
        options,
      ),
    watch(sessionId, listener) {
      let told: string | undefined
      let isWoken = false
      let isLooking = false

      // Looks go one after the other: however many wake-ups come meanwhile, one more look is enough, and none overtakes another.
      async function look(): Promise<void> {
        isWoken = true
        if (isLooking) return
        isLooking = true
        try {
          while (isWoken && stops.has(stop)) {
            isWoken = false
            const session = await store.read(sessionId)
            const tools = session ? modelTools(session) : []
            const text = JSON.stringify(tools)
            if (text === told || !stops.has(stop)) continue
            told = text
            callSafely(listener, tools, report)
          }
        } catch (error) {
          report(error)
        } finally {
          isLooking = false
        }
      }

      const unsubscribe = store.subscribe(sessionId, () => void look())
      const stop = (): void => {
        stops.delete(stop)
        unsubscribe()
      }
      stops.add(stop)
      void look()
      return stop
    },
    close() {
      for (const stop of [...stops]) stop()
    },
  }
}
