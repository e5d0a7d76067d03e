import type { QueryClient } from "@tanstack/react-query"
import type { HubClient } from "../hub/hubClient.ts"
import { REMOTE_EVENTS } from "../hub/messages.ts"
import { remotesKey } from "./remotesQueryOptions.ts"

interface Watch {
  readonly stop: () => void
  owners: number
}

const watches = new WeakMap<QueryClient, Map<HubClient, Watch>>()

const TELLS_OF_REMOTES: readonly string[] = Object.values(REMOTE_EVENTS)

function startWatch(queryClient: QueryClient, hub: HubClient): () => void {
  let isDirty = false
  let isFetching = false

  /** However much happens meanwhile: one list at a time, and one more when it was out of date before it came. */
  async function refresh(): Promise<void> {
    isDirty = true
    if (isFetching) return
    isFetching = true
    while (isDirty) {
      isDirty = false
      // A failure is the query's own.
      await queryClient.invalidateQueries({ queryKey: remotesKey(hub) }).catch(() => {})
    }
    isFetching = false
  }

  const stopEvents = hub.onEvent(({ action }) => {
    if (TELLS_OF_REMOTES.includes(action)) void refresh()
  })
  let { status } = hub.state
  const stopState = hub.subscribe((state) => {
    const before = status
    status = state.status
    // What was told while the socket was lost is not told again.
    if (status === "open" && before !== "open" && before !== "connecting") void refresh()
  })
  return () => {
    stopEvents()
    stopState()
  }
}

/** Invalidates the list of a hub's remotes by what the hub tells; one watch for all who ask. Returns its end. */
export function watchRemotes(queryClient: QueryClient, hub: HubClient): () => void {
  const hubs = watches.get(queryClient) ?? new Map<HubClient, Watch>()
  watches.set(queryClient, hubs)
  const watch = hubs.get(hub) ?? { stop: startWatch(queryClient, hub), owners: 0 }
  hubs.set(hub, watch)
  watch.owners++
  return () => {
    if (--watch.owners > 0) return
    watch.stop()
    hubs.delete(hub)
  }
}
