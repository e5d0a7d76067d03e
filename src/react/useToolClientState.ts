import type { ToolClient } from "../toolClient/toolClient.ts"
import { JOINING, type ToolClientState } from "../toolClient/toolClientState.ts"
import { identity, useStoreState } from "./useStoreState.ts"

/**
 * The tool client's snapshot, or the part of it that `selector` picks: the component re-renders only when that changes, by
 * `isEqual` where it is given (a selector that makes an object needs one), else by `Object.is`. While the
 * client is not known it is `joining`.
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
