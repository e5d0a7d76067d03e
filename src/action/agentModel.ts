import type { LanguageModel, ModelMessage, ToolSet } from "ai"
import { reasonOf } from "../tool/reason.ts"
import { parametersOf } from "../tool/parameters.ts"
import { optionalPackage } from "./optionalPackage.ts"
import type { Tool } from "./tool.ts"
import { ToolError } from "./toolError.ts"

export interface ModelRequest {
  readonly model: LanguageModel
  readonly system: string | undefined
  readonly messages: ModelMessage[]
  readonly tools: ReadonlyMap<string, Tool>
  readonly signal: AbortSignal | undefined
}

export interface ModelAnswer {
  readonly text: string
  /** What to add to the conversation: what the model said, and of calls that it got wrong that they are. */
  readonly messages: readonly ModelMessage[]
}

/** Asks the model for one step. It is told of the tools and runs none. @throws ToolError `failed`, `aborted` or `not_installed` */
export async function askModel({ model, system, messages, tools, signal }: ModelRequest): Promise<ModelAnswer> {
  const { generateText, jsonSchema, tool } = await optionalPackage("ai", () => import("ai"))
  const toolSet: ToolSet = Object.fromEntries(
    [...tools].map(([name, { id, name: title, description, input }]) => [
      name,
      tool({ description: description ?? title, inputSchema: jsonSchema(parametersOf({ schema: input }, id)) }),
    ]),
  )
  try {
    const { text, response } = await generateText({
      model,
      messages,
      tools: toolSet,
      ...(system !== undefined && { system }),
      ...(signal && { abortSignal: signal }),
    })
    return { text, messages: response.messages }
  } catch (cause) {
    if (signal?.aborted) throw new ToolError("aborted", "", "the caller gave up while the model was asked", { cause: signal.reason })
    throw new ToolError("failed", "", `the model could not be asked: ${reasonOf(cause)}`, { cause })
  }
}
