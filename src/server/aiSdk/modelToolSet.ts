import { dynamicTool, jsonSchema, type Tool, type ToolSet } from "ai"
import { ToolError } from "../../action/toolError.ts"
import type { ModelTool } from "../modelTools.ts"
import type { AgentToolSource } from "../agentToolSource.ts"

/** A call of the model's that is under way, by both its names. */
export interface ModelCall {
  /** The model's id, which the message's tool part has. */
  readonly toolCallId: string
  readonly toolName: string
  /** The session's id, which the page's record of the call, events and logs have. */
  readonly callId: string
}

/** Hears of a call as soon as it has its id, before it is settled. */
export type OnModelCall = (call: ModelCall) => void

/**
 * One offered tool as the `ai` package takes it. Its arguments are not checked here: the page does, and its text says every issue.
 * An error answer is thrown: that alone makes it a `tool-error` for the loop, its callbacks and a chat's UI, and the model is given the
 * error's message as `error-text`, word for word.
 */
function modelTool(source: AgentToolSource, onCall: OnModelCall, { name, description, parameters, title, annotations }: ModelTool): Tool<unknown, unknown> {
  const made: Tool<unknown, unknown> = dynamicTool({
    description,
    inputSchema: jsonSchema(parameters),
    async execute(input, { abortSignal, toolCallId }) {
      const { text, is_error } = await source.callTool(name, input, { signal: abortSignal, onCallId: (callId) => onCall({ toolCallId, toolName: name, callId }) })
      if (is_error) throw new ToolError("failed", "", text)
      return text
    },
  })
  return { ...made, ...(title !== undefined && { title }), ...(annotations && { metadata: { annotations: { ...annotations } } }) }
}

/** What is offered, by name and in the order in which it is. */
export const modelToolSet = (source: AgentToolSource, tools: readonly ModelTool[], onCall: OnModelCall): ReadonlyMap<string, ToolSet[string]> =>
  new Map(tools.map((tool) => [tool.name, modelTool(source, onCall, tool)]))
