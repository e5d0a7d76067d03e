import { useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import { useEffect } from "react"
import type { HubClient, ListedFunction } from "../hub/hubClient.ts"
import { remotesKey } from "./remotesQueryOptions.ts"
import { watchRemotes } from "./watchRemotes.ts"

/**
 * Every function of the user's remotes, local ones first, asked for again when the hub tells that one was connected, changed or
 * disconnected. Waits while `hub` is not known.
 */
export function useRemotes(hub: HubClient | null | undefined): UseQueryResult<readonly ListedFunction[], Error> {
  const queryClient = useQueryClient()
  useEffect(() => (hub ? watchRemotes(queryClient, hub) : undefined), [queryClient, hub])
  return useQuery({
    queryKey: remotesKey(hub),
    queryFn: ({ signal }) => (hub ? hub.remotes({ signal }) : []),
    enabled: Boolean(hub),
  })
}
