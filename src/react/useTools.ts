import { useEffect, useInsertionEffect, useState } from "react"
import type { AnyTool, InlineTools } from "../tool/tool.ts"
import type { ToolClient } from "../toolClient/toolClient.ts"
import { expectType } from "../lib/expectType.ts"
import { expectClient } from "./expectClient.ts"
import { createToolSet } from "./toolSet.ts"
import { useCommitted } from "./useCommitted.ts"

/** A tool that carries its name, for a list. */
export type NamedTool = AnyTool & { readonly name: string }

type Tools = Readonly<Record<string, AnyTool>> | readonly NamedTool[]

const entriesOf = (tools: Tools): readonly (readonly [name: string, tool: AnyTool])[] =>
  Array.isArray(tools) ? (tools as readonly NamedTool[]).map((tool) => [(tool as NamedTool | null)?.name as string, tool] as const) : Object.entries(tools)

/**
 * Offers a set of tools that can change on every render: a record by name, or a list of tools with names. Only the difference is sent. Each handler's arguments are inferred as by `useTool`; where they are by `parse`, annotate its parameter
 * or wrap the tool in `pageTool`, which checks results by type, too. Of two in a list with one name the last serves.
 *
 * @example
 * useTools(client, Object.fromEntries(rooms.map((room) => [`enter_${room.id}`, pageTool({ ... })])))
 */
export function useTools<T extends readonly unknown[] | Readonly<Record<string, unknown>>>(
  client: ToolClient | null | undefined,
  tools: InlineTools<T>,
): void
export function useTools(client: ToolClient | null | undefined, tools: unknown): void {
  expectClient("useTools", client)
  expectType("useTools: tools", tools, "a list or an object")
  const entries = entriesOf(tools as Tools)
  const committed = useCommitted()
  const [set] = useState(() => createToolSet(committed))
  useInsertionEffect(() => set.commit(entries))
  useEffect(() => set.withdrawAll, [set, client])
  useEffect(() => set.sync(client))
}
