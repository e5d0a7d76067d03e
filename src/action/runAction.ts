import type { ActionRequest, ActionResponse } from "./envelope.ts"
import { errorReply, type HostReply } from "./hostError.ts"
import { createItemStore } from "./items.ts"
import type { Logger, Tool } from "./tool.ts"
import { ToolError } from "./toolError.ts"
import { ToolInterrupt } from "./toolInterrupt.ts"

export interface ActionRun {
  readonly tool: Tool
  readonly request: ActionRequest
  readonly logger: Logger
  readonly userId: string | undefined
  readonly signal: AbortSignal
}

/** Runs one call of a host, and says what came of it. Never rejects. */
export async function runAction({ tool, request, logger, userId, signal }: ActionRun): Promise<HostReply> {
  const items = createItemStore(request.items)
  try {
    const result = await tool.execute(request.input, { logger, userId, signal, items, resumption: request.resumption })
    const body: ActionResponse = { status: "completed", result, items: items.emitted() }
    return { status: 200, body }
  } catch (thrown) {
    if (thrown instanceof ToolInterrupt) {
      const { message, data, state } = thrown
      const body: ActionResponse = { status: "interrupted", message, data, state, items: items.emitted() }
      return { status: 200, body }
    }
    const error = thrown instanceof ToolError ? thrown : new ToolError("failed", tool.id, String(thrown), { cause: thrown })
    if (error.code !== "invalid_input" && error.code !== "aborted") logger.error(error.message, error.cause)
    return errorReply(error, items.emitted())
  }
}
