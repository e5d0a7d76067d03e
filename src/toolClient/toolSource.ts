import type { AnyTool } from "../tool/tool.ts"
import type { ToolSource } from "./declaration.ts"

/** How many have been declared: only the order counts, which must hold across all clients that a source moves between. */
let declared = 0

/** An owner of tools; its rank is given when it is first asked for, so the last one mounted is the highest. */
export function createToolSource(current: () => AnyTool): ToolSource {
  let rank = 0
  return {
    get rank() {
      return (rank ||= ++declared)
    },
    current,
  }
}
