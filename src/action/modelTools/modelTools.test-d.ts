import { describe, expectTypeOf, it } from "vitest"
import { z } from "zod"
import { defineTool } from "../tool.ts"
import { type AnthropicTool, type DescribedTool, type GeminiTool, type OpenAiChatTool, type OpenAiTool, toModelTools } from "./modelTools.ts"

/** As the providers' SDKs type their requests. */
interface FunctionTool {
  type: "function"
  name: string
  description?: string | null
  parameters: { [key: string]: unknown } | null
  strict: boolean | null
}
interface MessagesTool {
  name: string
  description?: string
  input_schema: { type: "object"; properties?: unknown; required?: string[] | null; [key: string]: unknown }
  strict?: boolean
}

declare const tools: readonly DescribedTool[]

describe("toModelTools", () => {
  it("gives what each provider's SDK takes", () => {
    expectTypeOf(toModelTools(tools, "openai").tools).toEqualTypeOf<OpenAiTool[]>()
    expectTypeOf(toModelTools(tools, "openai-chat").tools).toEqualTypeOf<OpenAiChatTool[]>()
    expectTypeOf(toModelTools(tools, "anthropic").tools).toEqualTypeOf<AnthropicTool[]>()
    expectTypeOf(toModelTools(tools, "gemini").tools).toEqualTypeOf<GeminiTool[]>()
    expectTypeOf(toModelTools(tools, "openai").tools).toExtend<FunctionTool[]>()
    expectTypeOf(toModelTools(tools, "anthropic").tools).toExtend<MessagesTool[]>()
  })

  it("takes a session's tools, and a map of tools", () => {
    const add = defineTool({ id: "add", name: "Add", input: z.object({ a: z.number() }), output: z.number(), execute: ({ a }) => a })
    expectTypeOf(toModelTools({ add }, "gemini").toCall("add", {})).toExtend<{ name: string; arguments: unknown }>()
    // @ts-expect-error -- no such provider
    toModelTools(tools, "nobody")
  })
})
