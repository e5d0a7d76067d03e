import type { CallRecord } from "../toolClient/calls.ts"
import type { ToolClient } from "../toolClient/toolClient.ts"
import { JOINING, type ToolClientState } from "../toolClient/toolClientState.ts"
import { useStoreState } from "./useStoreState.ts"

const sameItems = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index])

/**
 * Returns the running calls and the last 50 settled ones, oldest first. Re-renders when a call that passes `filter` changes.
 *
 * @param filter - A tool's name, or a predicate, which may be inline. `@default` all calls
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
