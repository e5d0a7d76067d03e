import { copyJson } from "./copyJson.ts"
import { outputOf, parametersOf } from "./parameters.ts"
import type { AnyTool } from "./tool.ts"
import { ToolDefinitionError } from "./toolDefinitionError.ts"
import type { ToolAnnotations, ToolSpec } from "./toolSpec.ts"

/**
 * What is published of a tool. The same definition gives an equal result each time; two are compared by `canonicalJson`.
 *
 * @throws ToolDefinitionError where the definition cannot be published; see {@link parametersOf}
 */
export function toolSpecOf(name: string, tool: AnyTool): ToolSpec {
  const { description, title } = tool
  const parameters = parametersOf(tool, name)
  const output = outputOf(tool, name)
  const annotations = copyJson(tool.annotations)
  if (!annotations.ok) {
    throw new ToolDefinitionError("not_json", name, annotations.reason, { path: ["annotations", ...annotations.path] })
  }
  return {
    name,
    description,
    parameters,
    ...(title !== undefined && { title }),
    ...(annotations.value !== undefined && { annotations: annotations.value as ToolAnnotations }),
    ...(output && { output }),
  }
}
