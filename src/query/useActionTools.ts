import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { useCallback } from "react"
import type { ActionClient } from "../action/actionClient.ts"
import type { ApiTools, AnyApiSchema } from "../action/apiSchema.ts"
import type { Manifest } from "../action/manifest.ts"
import { manifestQueryOptions } from "./manifestQueryOptions.ts"

/**
 * A host's actions as tools, by their function names, made anew only when the manifest changes.
 *
 * @example
 * const { data: tools } = useActionTools(client)
 * useTools(toolClient, useMemo(() => toPageTools(tools ?? {}), [tools]))
 */
export function useActionTools<Api extends AnyApiSchema>(client: ActionClient<Api>): UseQueryResult<ApiTools<Api>, Error> {
  // One function as long as the client is the same, so that react-query selects once.
  const select = useCallback((manifest: Manifest) => client.toTools(manifest), [client])
  return useQuery({ ...manifestQueryOptions(client), select, structuralSharing: false })
}
