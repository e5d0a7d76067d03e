import { useMutation, type UseMutationResult } from "@tanstack/react-query"
import type { HubClient } from "../hub/hubClient.ts"
import { RemoteError } from "../hub/remoteError.ts"
import type { JsonValue } from "../tool/toolSpec.ts"

/** Which function of which remote is called, and with what. */
export interface RemoteCallVariables {
  readonly remotename: string
  readonly function: string
  readonly args?: unknown
  readonly signal?: AbortSignal | undefined
}

/**
 * Calls a function of a remote as a mutation; its error is a RemoteError. Never retried by itself, since what was called may have run.
 *
 * @example
 * const { mutate, data, error } = useRemoteCall(hub)
 * mutate({ remotename: "weather-service", function: "get_forecast", args: { city: "Rome" } })
 */
export const useRemoteCall = (hub: HubClient | null | undefined): UseMutationResult<JsonValue, RemoteError, RemoteCallVariables> =>
  useMutation<JsonValue, RemoteError, RemoteCallVariables>({
    retry: false,
    // The hub client knows by itself whether it is connected; a paused mutation would run when nobody expects it.
    networkMode: "always",
    mutationFn({ remotename, function: name, args, signal }) {
      if (hub) return hub.call(remotename, name, args, { signal })
      return Promise.reject(new RemoteError("connection_lost", "The hub is not known yet.", { remotename }))
    },
  })
