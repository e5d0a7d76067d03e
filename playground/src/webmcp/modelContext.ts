import type { JsonSchema, JsonValue } from "react-tool-client"

/** A tool as the browser tells an agent of it. */
export interface RegisteredTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** A JSON text in Chromium before 154. */
  readonly inputSchema?: object | string
  readonly annotations?: Readonly<Record<string, unknown>>
}

/** What an agent's side of `document.modelContext` has. */
interface ModelContext extends EventTarget {
  getTools(): Promise<readonly RegisteredTool[]>
  /** Resolves with the JSON text of what the tool gave; `null` where the call navigated away. */
  executeTool(tool: RegisteredTool, input: unknown, options?: { readonly signal?: AbortSignal }): Promise<string | null>
}

/** The browser's, where it has one. */
export function modelContextOf(): ModelContext | undefined {
  const { modelContext } = document as { readonly modelContext?: ModelContext }
  return typeof modelContext?.getTools === "function" ? modelContext : undefined
}

export const schemaOf = ({ inputSchema = {} }: RegisteredTool): JsonSchema =>
  (typeof inputSchema === "string" ? JSON.parse(inputSchema) : inputSchema) as JsonSchema

/** How a call ended, by the convention of the Model Context Protocol. */
export interface ExecutedTool {
  readonly text: string
  readonly isError: boolean
}

/** Calls a tool as the browser's agent does. Rejects where the browser cannot, or with the reason of an abort. */
export async function executeTool(tool: RegisteredTool, input: JsonValue, signal: AbortSignal): Promise<ExecutedTool> {
  const context = modelContextOf()
  if (!context) throw new Error("This browser has no document.modelContext.")
  const json = await context.executeTool(tool, input, { signal })
  const { content = [], isError = false } = (JSON.parse(json ?? "{}") ?? {}) as { content?: readonly { readonly text?: string }[]; isError?: boolean }
  return { text: content.map(({ text = "" }) => text).join("\n"), isError }
}
