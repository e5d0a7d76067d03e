import { useEffect, useInsertionEffect, useState } from "react"
import type { AnyTool, ToolDeclare } from "../tool/tool.ts"
import type { ToolClient } from "../toolClient/toolClient.ts"
import { expectClient } from "./expectClient.ts"
import { createToolOwner } from "./toolOwner.ts"
import { useCommitted } from "./useCommitted.ts"

/**
 * Offers a tool for as long as the component is mounted. Write everything inline: nothing needs a memo or a list of dependencies. The
 * handler and the validation are those of the last committed render; a definition that is the same by value sends nothing, and all
 * changes of one commit are one update.
 *
 * Two components with one name: the one mounted last serves, and the other serves again when it unmounts. A definition that is
 * refused goes to the client's `onError` and is left out. Never re-renders because of a call.
 *
 * @throws TypeError for a client that is none: it comes from code, and a session given in its place is a mistake.
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
