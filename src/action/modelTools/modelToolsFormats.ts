import type { ModelProvider } from "./modelToolsDialect.ts"

/** For `tools` of OpenAI's Responses API. */
export interface OpenAiTool {
  type: "function"
  name: string
  description: string
  parameters: { [key: string]: unknown }
  strict: boolean
}

/** For `tools` of OpenAI's Chat Completions API. */
export interface OpenAiChatTool {
  type: "function"
  function: Omit<OpenAiTool, "type">
}

/** For `tools` of Anthropic's Messages API. */
export interface AnthropicTool {
  name: string
  description: string
  input_schema: { type: "object"; [key: string]: unknown }
  strict?: true
}

/** For Gemini: `tools: [{ functionDeclarations: all of them }]`. */
export interface GeminiTool {
  name: string
  description: string
  parametersJsonSchema: { [key: string]: unknown }
}

/** A tool in each provider's own format. */
export interface ModelToolFormats {
  openai: OpenAiTool
  "openai-chat": OpenAiChatTool
  anthropic: AnthropicTool
  gemini: GeminiTool
}

/** A tool's schema in a provider's words. */
export interface Converted {
  readonly schema: { [key: string]: unknown }
  readonly isStrict: boolean
}

export function formatOf(provider: ModelProvider, name: string, description: string, { schema, isStrict }: Converted): ModelToolFormats[ModelProvider] {
  switch (provider) {
    case "openai":
      return { type: "function", name, description, parameters: schema, strict: isStrict }
    case "openai-chat":
      return { type: "function", function: { name, description, parameters: schema, strict: isStrict } }
    case "anthropic":
      return { name, description, input_schema: { ...schema, type: "object" }, ...(isStrict && { strict: true }) }
    case "gemini":
      return { name, description, parametersJsonSchema: schema }
    default:
      return provider satisfies never
  }
}
