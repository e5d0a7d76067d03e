import type { ToolClient } from "../toolClient/toolClient.ts"
import { JOINING, type ToolClientState } from "../toolClient/toolClientState.ts"
import { identity, useStoreState } from "./useStoreState.ts"

/**
 * The tool client's snapshot, or the part of it that `selector` picks: the component re-renders only when that changes. While the
 * client is not known it is `joining`.
 */
export function useToolClientState(client: ToolClient | null | undefined): ToolClientState
export function useToolClientState<Selection>(
  client: ToolClient | null | undefined,
  selector: (state: ToolClientState) => Selection,
): Selection
export function useToolClientState(
  client: ToolClient | null | undefined,
  selector: (state: ToolClientState) => unknown = identity,
): unknown {
  return useStoreState(client, JOINING, selector)
}
