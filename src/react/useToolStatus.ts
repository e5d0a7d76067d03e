import type { ToolClient } from "../toolClient/toolClient.ts"
import { useToolClientState } from "./useToolClientState.ts"

/**
 * - `live`: the server has accepted the tool; an agent can call it now.
 * - `pending`: not now: the client is joining, or the tool's update is in progress or was refused.
 * - `off`: the client is unknown, failed, or has left.
 */
export type ToolStatus = "live" | "pending" | "off"

/** Returns whether the tool `name` is live at the server. Re-renders only when that changes. */
export function useToolStatus(client: ToolClient | null | undefined, name: string): ToolStatus {
  const status = useToolClientState(client, (state): ToolStatus => {
    if (state.tools.includes(name)) return "live"
    return state.status === "joining" || state.status === "serving" ? "pending" : "off"
  })
  return client ? status : "off"
}
