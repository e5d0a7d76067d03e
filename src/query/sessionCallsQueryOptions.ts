import { queryOptions } from "@tanstack/react-query"
import type { CallRecord } from "../toolClient/calls.ts"
import { pushedQueryFn } from "./pushedQuery.ts"
import { keyOfSource, type SessionSource, toolClientsOf, watchToolClients } from "./toolClientsOf.ts"

/** Begins the key of each query of calls. */
export const SESSION_CALLS_KEY = ["react-tool-client", "session-calls"] as const

/** A call, and whose tool it was. */
export type SessionCall = CallRecord & {
  /** The tool client that was called, by the name that the server gave it; the one that it was made with before it had one. */
  readonly client: string
}

const callsOf = (source: SessionSource): readonly SessionCall[] =>
  toolClientsOf(source)
    .flatMap(({ name, state }) => state.calls.map((call): SessionCall => ({ ...call, client: state.name ?? name })))
    .sort((one, other) => one.receivedAt - other.receivedAt)

/**
 * The calls of a session's tools, or of one tool client's, as a query: those in flight and the last 50 that settled of each client, the
 * oldest first, each with its phase. Every step of a call is pushed into it by the session itself; nothing is polled or asked.
 *
 * @param source - A session, a hub client, or a tool client. Waits while it is not known.
 * @example
 * const { data: running = [] } = useQuery({
 *   ...sessionCallsQueryOptions(session),
 *   select: (calls) => calls.filter(({ phase }) => phase === "running"),
 * })
 */
export const sessionCallsQueryOptions = (source: SessionSource | null | undefined) =>
  queryOptions({
    queryKey: [...SESSION_CALLS_KEY, keyOfSource(source)],
    queryFn: source ? pushedQueryFn({ read: () => callsOf(source), subscribe: (listener) => watchToolClients(source, listener) }) : () => [],
    enabled: Boolean(source),
    staleTime: Infinity,
    networkMode: "always",
  })
