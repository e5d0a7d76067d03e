import { useToolClient } from "../react/useToolClient.ts"
import type { ToolClient, ToolClientOptions } from "../toolClient/toolClient.ts"
import { useHubContext } from "./hubContext.ts"

/**
 * A remote within this page: listed by `hub.remotes()` and called by `hub.call()` beside the hub's, and never on the wire. Offer its
 * functions by `useTool`, as those of any tool client.
 *
 * @throws Error outside a `HubProvider`.
 */
export function useLocalRemote(remotename: string, options?: ToolClientOptions): ToolClient {
  const hub = useHubContext("useLocalRemote")
  return useToolClient(hub.local, remotename, options)
}
