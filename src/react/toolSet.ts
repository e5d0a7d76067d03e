import type { AnyTool } from "../tool/tool.ts"
import type { ToolClient } from "../toolClient/toolClient.ts"
import { createToolOwner, type ToolOwner } from "./toolOwner.ts"

/** A component as the owner of a changing set of tools: one owner a name, declared and withdrawn as the set changes. */
export interface ToolSet {
  /** What the render being committed has; handlers are the new ones from here on. */
  commit(entries: readonly (readonly [name: string, tool: AnyTool])[]): void
  /** Declares the set with `client`; returns the withdrawal of all of it. */
  attach(client: ToolClient | null | undefined): () => void
  /** Declares what is new, withdraws what is gone, tells of what may have changed. */
  sync(): void
}

export function createToolSet(): ToolSet {
  let wanted: ReadonlyMap<string, AnyTool> = new Map()
  const owners = new Map<string, ToolOwner>()
  const declared = new Map<string, () => void>()
  let client: ToolClient | null | undefined

  const withdraw = (name: string): void => {
    declared.get(name)?.()
    declared.delete(name)
  }

  function sync(): void {
    for (const name of declared.keys()) if (!wanted.has(name)) withdraw(name)
    if (!client) return
    for (const name of wanted.keys()) {
      const owner = owners.get(name)
      if (!owner) continue
      if (declared.has(name)) client.touch(owner)
      else declared.set(name, client.declare(owner, name))
    }
  }

  return {
    commit(entries) {
      wanted = new Map(entries)
      for (const [name, tool] of wanted) {
        const owner = owners.get(name)
        if (owner) owner.commit(tool)
        else owners.set(name, createToolOwner(tool))
      }
    },
    attach(next) {
      client = next
      sync()
      return () => {
        for (const name of declared.keys()) withdraw(name)
        client = undefined
      }
    },
    sync,
  }
}
