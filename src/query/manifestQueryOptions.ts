import { queryOptions } from "@tanstack/react-query"
import type { ActionClient } from "../action/actionClient.ts"
import type { AnyApiSchema } from "../action/apiSchema.ts"
import { randomId } from "../lib/randomId.ts"

/** Begins the key of each host's manifest; with it all can be invalidated at once. */
export const MANIFEST_KEY = ["react-tool-client", "manifest"] as const

const ids = new WeakMap<object, string>()

/**
 * What tells clients of one host apart: they may ask with the headers of different people, whom the host shows different things. Random,
 * so that a cache that was stored has nothing for those of another page load.
 */
function idOf(client: object): string {
  const id = ids.get(client) ?? randomId()
  ids.set(client, id)
  return id
}

/**
 * A host's manifest as a query, for `useQuery`, `useSuspenseQuery` and `queryClient.fetchQuery`. It changes when the host is deployed
 * anew, so it stays fresh until it is invalidated. Each client has its own: make one a person and host, outside of components or in
 * `useMemo`.
 */
export const manifestQueryOptions = <Api extends AnyApiSchema>(client: ActionClient<Api>) =>
  queryOptions({
    queryKey: [...MANIFEST_KEY, client.baseUrl, idOf(client)],
    queryFn: ({ signal }) => client.manifest({ signal }),
    staleTime: Infinity,
  })
