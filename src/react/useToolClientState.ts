import type { ToolClient } from "../toolClient/toolClient.ts"
import { JOINING, type ToolClientState } from "../toolClient/toolClientState.ts"
import { identity, useStoreState } from "./useStoreState.ts"

/**
 * Returns the tool client's state, or the part that `selector` returns. The component re-renders only when that part changes, compared by `isEqual` or
 * `Object.is`; a selector that creates objects needs `isEqual`. Without a client the status is `joining`.
 */
export function useToolClientState(client: ToolClient | null | undefined): ToolClientState
export function useToolClientState<Selection>(
  client: ToolClient | null | undefined,
  selector: (state: ToolClientState) => Selection,
  isEqual?: (one: Selection, other: Selection) => boolean,
): Selection
export function useToolClientState(
  client: ToolClient | null | undefined,
  selector: (state: ToolClientState) => unknown = identity,
  isEqual?: (one: unknown, other: unknown) => boolean,
): unknown {
  return useStoreState(client, JOINING, selector, isEqual)
}
