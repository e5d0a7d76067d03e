import type { ToolAnnotations, ToolAnswer, ToolSpec } from "../tool/toolSpec.ts"
import type { ModelContextAnnotations, ModelContextTool } from "./modelContext.ts"

/** Shape of a result by the convention of the Model Context Protocol (`CallToolResult`), which agents in browsers read. */
export interface ModelContextResult {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }]
  readonly isError?: true
}

export const toModelContextResult = ({ text, is_error }: ToolAnswer): ModelContextResult => ({
  content: [{ type: "text", text }],
  ...(is_error && { isError: true }),
})

/**
 * The browser has no word for `destructiveHint` and `openWorldHint` but `consequentialHint`, by which it may ask the person first: what
 * destroys, and what acts beyond the page (mail, payment), is consequential; what only reads beyond it is not.
 */
export function toModelContextAnnotations(annotations: ToolAnnotations): ModelContextAnnotations {
  const { readOnlyHint, untrustedContentHint, destructiveHint, openWorldHint } = annotations
  const said = [destructiveHint, openWorldHint].some((hint) => hint !== undefined)
  const consequentialHint = destructiveHint === true || (openWorldHint === true && readOnlyHint !== true)
  return {
    ...(readOnlyHint !== undefined && { readOnlyHint }),
    ...(untrustedContentHint !== undefined && { untrustedContentHint }),
    ...(said && { consequentialHint }),
  }
}

/** A published tool as the browser takes it, under its own name: the document is the client, so no prefix tells clients apart. */
export function toModelContextTool(spec: ToolSpec, execute: ModelContextTool["execute"]): ModelContextTool {
  const { name, title, description, parameters, annotations } = spec
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: parameters,
    ...(annotations && { annotations: toModelContextAnnotations(annotations) }),
    execute,
  }
}
