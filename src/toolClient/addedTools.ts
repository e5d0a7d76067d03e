import type { AnyTool, ToolDeclare } from "../tool/tool.ts"
import type { ToolSource } from "./declaration.ts"
import { createToolSource } from "./toolSource.ts"

export interface AddedToolsOptions {
  /** Throws for a definition that cannot be declared. */
  check(name: string, tool: AnyTool): void
  declare(source: ToolSource, name: string): () => void
  touch(name: string): void
  /** See `ToolSource`. */
  readonly committed?: ToolSource["committed"]
  /** Whether the client has left. */
  isOver(): boolean
}

interface AddedTool {
  tool: AnyTool
  readonly source: ToolSource
  withdraw(): void
}

/** `addTool` and `removeTool` in terms of `declare`: one source a name, so that its place in the stack stays. */
export function createAddedTools(options: AddedToolsOptions): {
  readonly addTool: ToolDeclare<[name: string], void>
  removeTool(this: void, name: string): void
} {
  const added = new Map<string, AddedTool>()
  return {
    addTool(name: string, tool: AnyTool) {
      if (options.isOver()) return
      options.check(name, tool)
      const known = added.get(name)
      if (known) {
        known.tool = tool
        options.touch(name)
        return
      }
      const entry: AddedTool = { tool, source: createToolSource(() => entry.tool, undefined, options.committed), withdraw: () => {} }
      added.set(name, entry)
      entry.withdraw = options.declare(entry.source, name)
    },
    removeTool(name) {
      added.get(name)?.withdraw()
      added.delete(name)
    },
  }
}
