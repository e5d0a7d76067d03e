import type { CallRecord } from "../toolClient/calls.ts"
import type { ToolClient } from "../toolClient/toolClient.ts"
import { JOINING, type ToolClientState } from "../toolClient/toolClientState.ts"
import { useStoreState } from "./useStoreState.ts"

const sameItems = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index])

/**
 * The calls in flight and the last 50 settled, oldest first; re-renders when one of those changes that `filter` lets through.
 *
 * @param filter - A tool's name, or a predicate; it may be another function at each render. `@default` all calls
 */
export function useToolCalls(
  client: ToolClient | null | undefined,
  filter?: string | ((call: CallRecord) => boolean),
): readonly CallRecord[] {
  const select = ({ calls }: ToolClientState): readonly CallRecord[] => {
    if (filter === undefined) return calls
    return calls.filter(typeof filter === "string" ? (call) => call.tool === filter : filter)
  }
  return useStoreState(client, JOINING, select, sameItems)
}
