import { useEffect, useInsertionEffect, useState } from "react"
import type { AnyTool, ToolDeclare } from "../tool/tool.ts"
import type { ToolClient } from "../toolClient/toolClient.ts"
import { expectClient } from "./expectClient.ts"
import { createToolOwner } from "./toolOwner.ts"
import { useCommitted } from "./useCommitted.ts"

/**
 * Offers a tool while the component is mounted. Define everything inline, without memos or dependency arrays. Calls use `execute` and `schema` of the
 * last committed render. A definition that has not changed sends nothing, and all changes of one commit are one update.
 *
 * If two components use one name, the one mounted last serves; when it unmounts, the other serves again. A refused definition is left out and
 * reported to the client's `onError`. A call never re-renders the component.
 *
 * @throws TypeError if `client` is not a tool client, for example if it is a session.
 *
 * @example
 * useTool(client, "add_todo", {
 *   description: "Add an item to the list.",
 *   schema: z.object({ title: z.string() }),
 *   execute: ({ title }) => {
 *     addTodo(title)
 *     return `Added "${title}".`
 *   },
 * })
 */
export const useTool: ToolDeclare<[client: ToolClient | null | undefined, name: string], void> = function useTool(
  client: ToolClient | null | undefined,
  name: string,
  tool: AnyTool,
): void {
  expectClient("useTool", client)
  const committed = useCommitted()
  const [owner] = useState(() => createToolOwner(tool, committed))
  // A definition that is the same object as before costs nothing further.
  useInsertionEffect(() => owner.commit(tool), [owner, tool])
  // Passive: a Suspense fallback keeps the tool, an unmount and a hidden Activity withdraw it.
  useEffect(() => client?.declare(owner, name), [client, owner, name])
  useEffect(() => client?.touch(name), [client, owner, name, tool])
}
