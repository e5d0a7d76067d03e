import { randomId } from "../lib/randomId.ts"
import { ACTIONS_PATH, type ActionRequest, IDEMPOTENCY_HEADER, readActionResponse } from "./envelope.ts"
import type { AskHost } from "./hostRequests.ts"
import type { ToolItem } from "./items.ts"
import { jsonOf } from "./jsonOf.ts"
import type { ManifestAction } from "./manifest.ts"
import { schemaOfJson } from "./schemaOfJson.ts"
import { createTool, type Tool, type ToolContext } from "./tool.ts"
import { ToolError } from "./toolError.ts"
import { ToolInterrupt } from "./toolInterrupt.ts"

export interface RemoteToolOptions {
  readonly id: string
  readonly action: ManifestAction
  readonly ask: AskHost
  /** How often a call is sent again that got no answer. */
  readonly retries: number
}

/** A host's action as a tool: each call is one POST, and comes to what it would come to in the host's own process. */
export function remoteTool({ id, action, ask, retries }: RemoteToolOptions): Tool {
  /** Sent again only where no answer came, with the same key: the host runs it once. */
  async function post(request: ActionRequest, context: ToolContext, onItems: (items: readonly ToolItem[]) => void): Promise<unknown> {
    const sent = {
      path: ACTIONS_PATH + encodeURIComponent(action.functionName),
      tool: id,
      signal: context.signal,
      body: JSON.stringify(jsonOf(request, id, "invalid_input")),
      headers: { [IDEMPOTENCY_HEADER]: randomId() },
      onItems,
    }
    for (let left = retries; ; left--) {
      try {
        return await ask(sent)
      } catch (error) {
        if (left <= 0 || !(error instanceof ToolError) || error.code !== "network") throw error
      }
    }
  }

  return createTool({
    id,
    name: action.name,
    description: action.description,
    input: schemaOfJson(action.input, id, "input"),
    output: schemaOfJson(action.output, id, "output"),
    async execute(input, context) {
      const { items, resumption } = context
      const fold = (emitted: readonly ToolItem[]): void => {
        // An answer that comes after the caller gave up tells nobody anything.
        if (!context.signal?.aborted) for (const item of emitted) items?.emit(item)
      }
      const read = await readActionResponse(await post({ input, resumption, items: items?.list() }, context, fold))
      if (!read.ok) throw new ToolError("bad_response", id, "the host's answer is not an action envelope", { issues: read.issues })
      const response = read.value
      fold(response.items)
      if (response.status === "interrupted") throw new ToolInterrupt(response.message, { data: response.data, state: response.state })
      return response.result
    },
  })
}
