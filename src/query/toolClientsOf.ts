import { randomId } from "../lib/randomId.ts"
import type { Session } from "../toolClient/session.ts"
import type { ToolClient } from "../toolClient/toolClient.ts"

/** All tool clients of a session, or one of them. */
export type SessionSource = Session | ToolClient

const isToolClient = (source: SessionSource): source is ToolClient => "addTool" in source

const keys = new WeakMap<SessionSource, string>()

/**
 * What tells sources apart in a query's key: sessions of two servers may have one id, and tool clients one name. Random, so that a cache
 * that was stored has nothing for those of another page load.
 */
export function keyOfSource(source: SessionSource | null | undefined): string | undefined {
  if (!source) return undefined
  const key = keys.get(source) ?? randomId()
  keys.set(source, key)
  return key
}

export function toolClientsOf(source: SessionSource): readonly ToolClient[] {
  if (isToolClient(source)) return [source]
  const clients: ToolClient[] = []
  source.registry?.forEach(({ client }) => clients.push(client))
  return clients
}

/** Calls `listener` after each change of a client of the source's, of what it offers, and of who is there. */
export function watchToolClients(source: SessionSource, listener: () => void): () => void {
  const watched = new Map<ToolClient, () => void>()

  function watchAll(): void {
    const clients = toolClientsOf(source)
    for (const [client, stop] of watched) {
      if (clients.includes(client)) continue
      stop()
      watched.delete(client)
    }
    for (const client of clients) {
      if (watched.has(client)) continue
      const stops = [client.subscribe(listener), client.local.subscribe(listener)]
      watched.set(client, () => {
        for (const stop of stops) stop()
      })
    }
  }

  watchAll()
  const stopRegistry = isToolClient(source)
    ? undefined
    : source.registry?.onChange(() => {
        watchAll()
        listener()
      })
  return () => {
    stopRegistry?.()
    for (const stop of watched.values()) stop()
  }
}
