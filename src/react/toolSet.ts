import { notice } from "../lib/notice.ts"
import type { AnyTool } from "../tool/tool.ts"
import type { ToolClient } from "../toolClient/toolClient.ts"
import { nextPlace } from "../toolClient/toolSource.ts"
import { createToolOwner, type ToolOwner } from "./toolOwner.ts"

/** A component as the owner of a changing set of tools: one owner a name, declared and withdrawn as the set changes. */
export interface ToolSet {
  /** What the render being committed has; handlers are the new ones from here on. */
  commit(entries: readonly (readonly [name: string, tool: AnyTool])[]): void
  /** Declares with `client` what is new, withdraws what is gone, tells of what may have changed. */
  sync(client: ToolClient | null | undefined): void
  withdrawAll(): void
}

/** To be made while rendering, as an owner is. */
export function createToolSet(committed: () => Promise<void>): ToolSet {
  const place = nextPlace()
  let wanted: ReadonlyMap<string, AnyTool> = new Map()
  let isNoticed = false
  const owners = new Map<string, ToolOwner>()
  const withdrawals = new Map<string, () => void>()

  function withdraw(name: string): void {
    withdrawals.get(name)?.()
    withdrawals.delete(name)
  }

  return {
    commit(entries) {
      wanted = new Map(entries)
      if (wanted.size < entries.length && !isNoticed) {
        isNoticed = true
        notice(() => process.env.NODE_ENV !== "production" && "two tools of one useTools list have the same name; the last of them is offered.")
      }
      for (const [name, tool] of wanted) {
        const owner = owners.get(name)
        if (owner) owner.commit(tool)
        else owners.set(name, createToolOwner(tool, committed, place))
      }
    },
    sync(client) {
      for (const [name, owner] of owners) {
        if (!wanted.has(name)) {
          withdraw(name)
          owners.delete(name)
        } else if (withdrawals.has(name)) client?.touch(name)
        else if (client) withdrawals.set(name, client.declare(owner, name))
      }
    },
    withdrawAll() {
      for (const name of withdrawals.keys()) withdraw(name)
    },
  }
}
