import type { AnyTool } from "../tool/tool.ts"
import type { ToolSource } from "../toolClient/declaration.ts"
import { createToolSource } from "../toolClient/toolSource.ts"
import { createLatest, type Latest } from "./latest.ts"

/** A component as the owner of a tool: it holds the definition of the last committed render. */
export type ToolOwner = ToolSource & Pick<Latest<AnyTool>, "commit">

export function createToolOwner(first: AnyTool): ToolOwner {
  const { current, commit } = createLatest(first)
  return Object.assign(createToolSource(current), { commit })
}
