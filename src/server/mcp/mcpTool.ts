import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js"
import { toNewestDraft } from "../../action/modelTools/modelToolsDraft.ts"
import type { JsonSchema, ToolAnswer } from "../../tool/toolSpec.ts"
import type { ModelTool } from "../modelTools.ts"

/** Where a value that is no object stands in `structuredContent`, which is one. */
const RESULT_KEY = "result"

const isObjectSchema = (schema: JsonSchema): boolean => schema["type"] === "object"

/** As clients read a schema's root: `true` and `false` are schemas (JSON Schema 2020-12 §4.3.2), but one among the properties makes them refuse the whole list. */
function withObjects(schema: JsonSchema): JsonSchema {
  const { properties } = schema
  if (typeof properties !== "object" || properties === null) return schema
  const entries = Object.entries(properties).map(([key, value]: [string, unknown]) => [key, value === true ? {} : value === false ? { not: {} } : value])
  return { ...schema, properties: Object.fromEntries(entries) as JsonSchema }
}

/** How a client checks results. One that it cannot compile would make it refuse the whole list, so what cannot be meant is left out, and so is what the page alone checks. */
const compilable = (schema: JsonSchema): JsonSchema => toNewestDraft(schema, () => {}, { keepsPatterns: false })

/**
 * The schema of `structuredContent`. One of a value that is no object stands below `result`; where it points at its own root it cannot be
 * moved, and the answer is text alone.
 */
function outputSchemaOf(output: JsonSchema | undefined): JsonSchema | undefined {
  if (!output) return undefined
  if (isObjectSchema(output)) return withObjects(output)
  if (JSON.stringify(output).includes('"$ref":"#')) return undefined
  const { $schema, ...value } = output
  return { ...($schema !== undefined && { $schema }), type: "object", properties: { [RESULT_KEY]: value }, required: [RESULT_KEY] }
}

/** An offered tool as MCP lists it. */
export function mcpTool({ name, title, description, parameters, annotations, output }: ModelTool): Tool {
  const outputSchema = outputSchemaOf(output && compilable(output))
  // Those that MCP has; its clients take every answer for text that others wrote.
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {}
  const hints = Object.entries({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }).filter(([, hint]) => hint !== undefined)
  return {
    name,
    description,
    inputSchema: withObjects(parameters) as Tool["inputSchema"],
    ...(title !== undefined && { title }),
    ...(hints.length > 0 && { annotations: Object.fromEntries(hints) }),
    ...(outputSchema && { outputSchema: outputSchema as Tool["outputSchema"] }),
  }
}

export const errorResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true })

/** A string stands in an answer as it is, everything else as JSON. */
function valueIn(text: string, output: JsonSchema): unknown {
  if (output["type"] === "string") return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A tool's answer as MCP gives it: its text, and the value in it where the tool says of what shape it is. */
export function mcpResult({ text, is_error }: ToolAnswer, tool: ModelTool | undefined): CallToolResult {
  if (is_error) return errorResult(text)
  const content: CallToolResult["content"] = [{ type: "text", text }]
  if (!tool?.output || !outputSchemaOf(compilable(tool.output))) return { content }
  const value = valueIn(text, tool.output)
  if (!isObjectSchema(tool.output)) return { content, structuredContent: { [RESULT_KEY]: value } }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return errorResult(`The tool "${tool.name}" did not return a JSON object, although its output schema requires one: ${text}`)
  }
  return { content, structuredContent: value as Record<string, unknown> }
}
