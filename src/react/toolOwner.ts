import type { AnyTool } from "../tool/tool.ts"
import type { ToolSource } from "../toolClient/declaration.ts"
import { createToolSource } from "../toolClient/toolSource.ts"
import { createLatest, type Latest } from "./latest.ts"

/** A component as the owner of a tool: it holds the definition of the last committed render. */
export type ToolOwner = ToolSource & Pick<Latest<AnyTool>, "commit">

/** To be made while rendering, or with a place that was taken then: a parent renders before its children, whose effects run before its own. */
export function createToolOwner(first: AnyTool, committed: () => Promise<void>, place?: number): ToolOwner {
  const { current, commit } = createLatest(first)
  return Object.assign(createToolSource(current, place, committed), { commit })
}
