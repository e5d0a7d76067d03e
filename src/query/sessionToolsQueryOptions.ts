import { queryOptions } from "@tanstack/react-query"
import type { ToolSpec } from "../tool/toolSpec.ts"
import { pushedQueryFn } from "./pushedQuery.ts"
import { keyOfSource, type SessionSource, toolClientsOf, watchToolClients } from "./toolClientsOf.ts"

/** Begins the key of each query of tools. */
export const SESSION_TOOLS_KEY = ["react-tool-client", "session-tools"] as const

/** A tool that the server has accepted of this page: a model can see it right now. */
export interface SessionTool extends ToolSpec {
  /**
   * The tool client that offers it, by the name that the server gave it: a session's model sees `client__<client>__<name>`, a hub's
   * the function `name` of the remote `client`.
   */
  readonly client: string
}

function toolsOf(source: SessionSource): readonly SessionTool[] {
  return toolClientsOf(source).flatMap(({ state, local }) => {
    const { name: client, tools } = state
    if (client === undefined) return []
    const offers = local.current()
    return tools.flatMap((name): readonly SessionTool[] => {
      const spec = offers.get(name)?.spec
      return spec ? [{ ...spec, client }] : []
    })
  })
}

/**
 * The tools that this page offers in a session, or by one tool client, and that the server has accepted, as a query: for `useQuery`,
 * `useSuspenseQuery` and `queryClient.fetchQuery`. Each change is pushed into it by the session itself; nothing is polled or asked.
 *
 * @param source - A session, a hub client, or a tool client. Waits while it is not known.
 * @example
 * const { data: tools } = useQuery(sessionToolsQueryOptions(useSession(id)))
 */
export const sessionToolsQueryOptions = (source: SessionSource | null | undefined) =>
  queryOptions({
    queryKey: [...SESSION_TOOLS_KEY, keyOfSource(source)],
    queryFn: source ? pushedQueryFn({ read: () => toolsOf(source), subscribe: (listener) => watchToolClients(source, listener) }) : () => [],
    enabled: Boolean(source),
    staleTime: Infinity,
    networkMode: "always",
  })
