import { checkToolName } from "./names.ts"
import type { AnyTool } from "./tool.ts"
import { ToolDefinitionError, type ToolDefinitionErrorCode } from "./toolDefinitionError.ts"
import { toolSpecOf } from "./toolSpecOf.ts"

/** What the properties are that a definition may leave out; all but `execute`, and those checked one by one below. */
const TYPES = { execute: "function", parse: "function", title: "string", enabled: "boolean", annotations: "object" }

/**
 * Checks all of a definition before it is declared: the name with its prefix, the description, that exactly one of `schema` and
 * `parse` validates, that the parameters can be published, and the options.
 *
 * @param clientName - The name of the tool client, which becomes part of the tool's.
 * @param name - The tool's name.
 * @param tool - The definition.
 * @throws ToolDefinitionError on the first thing that is wrong
 */
export function checkTool(clientName: string, name: string, tool: AnyTool): void {
  checkToolName(clientName, name)
  const refuse = (code: ToolDefinitionErrorCode, problem: string, ...path: string[]): never => {
    throw new ToolDefinitionError(code, name, problem, path)
  }
  // Read as if nothing were known: a caller without types may have written anything.
  const given = (tool ?? {}) as unknown as Readonly<Record<string, unknown>>
  const { description, schema, parse, concurrency = "serial" } = given
  if (typeof description !== "string" || !description.trim()) refuse("no_description", "tell the model what the tool does", "description")
  if (schema && parse) refuse("schema_and_parse", "keep one of schema and parse: both validate")
  for (const key of ["schema", "output"] as const) {
    const value = given[key] as AnyTool["schema"]
    if (value != null && typeof value["~standard"]?.validate !== "function")
      refuse("invalid_schema", "it is no Standard Schema, as zod 4, valibot 1 and arktype 2 make them", key)
  }
  for (const [key, type] of Object.entries(TYPES))
    if (typeof given[key] !== type && (given[key] !== undefined || key === "execute")) refuse("invalid_option", `it must be a ${type}`, key)
  for (const key of ["timeout", "maxResultBytes"])
    if (given[key] !== undefined && !(Number.isFinite(given[key]) && (given[key] as number) > 0))
      refuse("invalid_option", "it must be a number above 0", key)
  if (!["parallel", "serial", "latest"].includes(concurrency as string))
    refuse("invalid_option", "it must be parallel, serial or latest", "concurrency")
  toolSpecOf(name, tool)
}
