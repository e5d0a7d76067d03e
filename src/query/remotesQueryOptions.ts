import { queryOptions } from "@tanstack/react-query"
import type { HubClient } from "../hub/hubClient.ts"

/** Begins the key of each hub's list; with it all lists can be invalidated at once. */
export const REMOTES_KEY = ["react-tool-client", "remotes"] as const

export const remotesKey = (hub: HubClient | null | undefined) => [...REMOTES_KEY, hub?.state.id] as const

/**
 * The functions of all remotes as a query, for `useQuery`, `useSuspenseQuery` and `queryClient.fetchQuery`. Only {@link useRemotes}
 * keeps it fresh by the hub's own traffic.
 */
export const remotesQueryOptions = (hub: HubClient) =>
  queryOptions({ queryKey: remotesKey(hub), queryFn: ({ signal }) => hub.remotes({ signal }) })
