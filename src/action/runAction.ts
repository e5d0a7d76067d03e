import { copyJson } from "../tool/copyJson.ts"
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

/** The value as it goes over the wire; what JSON cannot say is the tool's own fault. */
function toJson(value: unknown, tool: string, place: string): unknown {
  const copy = copyJson(value)
  if (copy.ok) return copy.value
  const issues = [{ path: [place, ...copy.path], message: copy.reason }]
  throw new ToolError("invalid_output", tool, "what it returned is not JSON", { issues })
}

/** Runs one call of a host, and says what came of it. Never rejects. */
export async function runAction({ tool, request, logger, userId, signal }: ActionRun): Promise<HostReply> {
  const items = createItemStore(request.items)
  try {
    const result = await tool.execute(request.input, { logger, userId, signal, items, resumption: request.resumption })
    const body: ActionResponse = { status: "completed", result: toJson(result, tool.id, "result"), items: items.emitted() }
    return { status: 200, body }
  } catch (thrown) {
    try {
      if (!(thrown instanceof ToolInterrupt)) throw thrown
      const { message, data, state } = thrown
      const body: ActionResponse = {
        status: "interrupted",
        message,
        data: toJson(data, tool.id, "data"),
        state: toJson(state, tool.id, "state"),
        items: items.emitted(),
      }
      return { status: 200, body }
    } catch (failure) {
      const error = failure instanceof ToolError ? failure : new ToolError("failed", tool.id, String(failure), { cause: failure })
      if (error.code !== "invalid_input" && error.code !== "aborted") logger.error(error.message, error.cause)
      return errorReply(error, items.emitted())
    }
  }
}
