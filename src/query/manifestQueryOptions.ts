import { queryOptions } from "@tanstack/react-query"
import type { ActionClient } from "../action/actionClient.ts"
import type { AnyApiSchema } from "../action/apiSchema.ts"

/** Begins the key of each host's manifest; with it all can be invalidated at once. */
export const MANIFEST_KEY = ["react-tool-client", "manifest"] as const

/**
 * A host's manifest as a query, for `useQuery`, `useSuspenseQuery` and `queryClient.fetchQuery`. It changes when the host is deployed
 * anew, so it stays fresh until it is invalidated.
 */
export const manifestQueryOptions = <Api extends AnyApiSchema>(client: ActionClient<Api>) =>
  queryOptions({
    queryKey: [...MANIFEST_KEY, client.baseUrl],
    queryFn: ({ signal }) => client.manifest({ signal }),
    staleTime: Infinity,
  })
