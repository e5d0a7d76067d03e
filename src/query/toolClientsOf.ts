import type { Session } from "../toolClient/session.ts"
import type { ToolClient } from "../toolClient/toolClient.ts"

/** All tool clients of a session, or one of them. */
export type SessionSource = Session | ToolClient

const isToolClient = (source: SessionSource): source is ToolClient => "addTool" in source

const numbers = new WeakMap<SessionSource, number>()
let counted = 0

/** What tells sources apart in a query's key: sessions of two servers may have one id, and tool clients one name. */
export function numberOf(source: SessionSource | null | undefined): number {
  if (!source) return 0
  const known = numbers.get(source) ?? ++counted
  numbers.set(source, known)
  return known
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
