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
  const { description, title, annotations } = tool
  // Copies already, which are shared by all that is equal to them.
  const parameters = parametersOf(tool, name)
  const output = outputOf(tool, name)
  const copy = annotations && copyJson(annotations)
  if (copy?.ok === false) throw new ToolDefinitionError("not_json", name, copy.reason, ["annotations", ...copy.path])
  return Object.freeze({
    name,
    description,
    ...(title !== undefined && { title }),
    ...(copy && { annotations: copy.value as ToolAnnotations }),
    parameters,
    ...(output && { output }),
  })
}
