import type { LanguageModel, ModelMessage, ToolSet } from "ai"
import { parametersOf } from "../tool/parameters.ts"
import { reasonOf } from "../tool/reason.ts"
import type { AgentMessage, AgentModel } from "./agentMessages.ts"
import { optionalPackage } from "./optionalPackage.ts"
import type { Tool } from "./tool.ts"
import { ToolError } from "./toolError.ts"

export interface ModelRequest {
  readonly model: AgentModel
  readonly system: string | undefined
  readonly messages: readonly AgentMessage[]
  readonly tools: ReadonlyMap<string, Tool>
  readonly signal: AbortSignal | undefined
  /** Hears each piece of text as it comes: the model is then asked to stream. @default its text comes as a whole */
  readonly onText: ((text: string) => void) | undefined
}

export interface ModelAnswer {
  readonly text: string
  /** What to add to the conversation: what the model said, and of calls that it got wrong that they are. */
  readonly messages: readonly AgentMessage[]
}

/** Asks the model for one step. It is told of the tools and runs none. @throws ToolError `failed`, `aborted` or `not_installed` */
export async function askModel({ model, system, messages, tools, signal, onText }: ModelRequest): Promise<ModelAnswer> {
  const { generateText, jsonSchema, streamText, tool } = await optionalPackage("ai", () => import("ai"))
  const toolSet: ToolSet = Object.fromEntries(
    [...tools].map(([name, { id, name: title, description, input }]) => [
      name,
      tool({ description: description ?? title, inputSchema: jsonSchema(parametersOf({ schema: input }, id)) }),
    ]),
  )
  const request = {
    model: model as LanguageModel,
    messages: messages as ModelMessage[],
    tools: toolSet,
    ...(system !== undefined && { system }),
    ...(signal && { abortSignal: signal }),
  }

  async function stream(hear: (text: string) => void): Promise<ModelAnswer> {
    // What fails comes as a part, too; without a handler the SDK writes it to the console as well.
    const streamed = streamText({ ...request, onError() {} })
    for await (const part of streamed.fullStream) {
      if (part.type === "text-delta") hear(part.text)
      else if (part.type === "error") throw part.error
      else if (part.type === "abort") signal?.throwIfAborted()
    }
    // Not asked for before the end: nobody would hear that they reject.
    return { text: await streamed.text, messages: (await streamed.response).messages }
  }

  try {
    if (onText) return await stream(onText)
    const { text, response } = await generateText(request)
    return { text, messages: response.messages }
  } catch (cause) {
    if (signal?.aborted) throw new ToolError("aborted", "", "the caller gave up while the model was asked", { cause: signal.reason })
    throw new ToolError("failed", "", `the model could not be asked: ${reasonOf(cause)}`, { cause })
  }
}
