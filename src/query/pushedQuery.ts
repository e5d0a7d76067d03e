import type { QueryClient, QueryKey } from "@tanstack/react-query"

/** Something of this page's that tells when it may be another. */
export interface Pushing<Data> {
  read(): Data
  /** Calls `listener` whenever `read()` may give something else; returns its unsubscribe. */
  subscribe(listener: () => void): () => void
}

/** The keys of the queries that are pushed into; within one client each query has a key of its own. */
const pushed = new WeakMap<QueryClient, Set<QueryKey>>()

/**
 * From now on puts what `source` reads into the query, as often as it changes and once a tick, until the query is removed from the cache:
 * nothing is polled, whoever uses the options.
 */
function push<Data>(queryClient: QueryClient, queryKey: QueryKey, source: Pushing<Data>): void {
  const keys = pushed.get(queryClient) ?? new Set()
  if (keys.has(queryKey)) return
  pushed.set(queryClient, keys.add(queryKey))
  let isScheduled = false
  let isOver = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(() => {
      isScheduled = false
      if (!isOver) queryClient.setQueryData(queryKey, source.read())
    })
  }

  const stopSource = source.subscribe(schedule)
  const stopCache = queryClient.getQueryCache().subscribe((event) => {
    if (event.query.queryKey !== queryKey) return
    // What the query function gave may be older than what was pushed while it was on its way.
    if (event.type === "updated" && event.action.type === "success" && !event.action.manual) schedule()
    if (event.type !== "removed") return
    isOver = true
    keys.delete(queryKey)
    stopSource()
    stopCache()
  })
}

/** The query function of what is pushed. */
export const pushedQueryFn =
  <Data>(source: Pushing<Data>) =>
  ({ client, queryKey }: { readonly client: QueryClient; readonly queryKey: QueryKey }): Data => {
    push(client, queryKey, source)
    return source.read()
  }
