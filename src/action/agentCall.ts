import { copyJson } from "../tool/copyJson.ts"
import { reasonOf } from "../tool/reason.ts"
import type { AgentToolCall, AgentToolOutput } from "./agentMessages.ts"
import type { Tool, ToolContext } from "./tool.ts"
import { ToolError } from "./toolError.ts"
import { ToolInterrupt } from "./toolInterrupt.ts"

/** What one call of the model's came to. */
export type CallOutcome =
  | { readonly status: "answered"; readonly call: AgentToolCall; readonly output: AgentToolOutput }
  | { readonly status: "interrupted"; readonly call: AgentToolCall; readonly interrupt: ToolInterrupt }
  | { readonly status: "aborted"; readonly call: AgentToolCall; readonly error: unknown }

/** A result as the model reads it. */
function outputOf(value: unknown): AgentToolOutput {
  if (value === undefined) return { type: "text", value: "The tool ran and returned nothing." }
  if (typeof value === "string") return { type: "text", value }
  const copy = copyJson(value)
  return copy.ok ? { type: "json", value: copy.value } : { type: "error-text", value: `The result is not JSON: ${copy.reason}` }
}

/** Runs one call of the model's. Never rejects: what a tool throws is for the model to read. */
export async function runAgentCall(tools: ReadonlyMap<string, Tool>, call: AgentToolCall, context: ToolContext): Promise<CallOutcome> {
  const { toolName, input } = call
  try {
    const tool = tools.get(toolName)
    if (!tool) throw new ToolError("not_found", toolName, `there is no such tool; there are ${[...tools.keys()].join(", ")}`)
    return { status: "answered", call, output: outputOf(await tool.execute(input, context)) }
  } catch (thrown) {
    if (thrown instanceof ToolInterrupt) return { status: "interrupted", call, interrupt: thrown }
    if (context.signal?.aborted) return { status: "aborted", call, error: thrown }
    return { status: "answered", call, output: { type: "error-text", value: reasonOf(thrown) } }
  }
}
