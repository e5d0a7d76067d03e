import type { ToolConcurrency } from "./tool.ts"
import type { AnyTool } from "./tool.ts"
import { ToolDefinitionError, type ToolDefinitionErrorCode } from "./toolDefinitionError.ts"
import { checkToolName } from "./names.ts"
import { toolSpecOf } from "./toolSpecOf.ts"

const CONCURRENCIES: readonly (ToolConcurrency | undefined)[] = [undefined, "parallel", "serial", "latest"]

const isStandardSchema = (schema: unknown): boolean =>
  typeof (schema as AnyTool["schema"])?.["~standard"]?.validate === "function"

const isPositive = (value: unknown): boolean => value === undefined || (Number.isFinite(value) && (value as number) > 0)

const isTyped = (value: unknown, type: string): boolean => value === undefined || typeof value === type

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
  const require = (holds: boolean, code: ToolDefinitionErrorCode, problem: string, property?: string): void => {
    if (!holds) throw new ToolDefinitionError(code, name, problem, property ? { path: [property] } : {})
  }
  checkToolName(clientName, name)
  require(typeof tool === "object" && tool !== null, "invalid_option", "the definition must be an object")
  // Read as if nothing were known: a caller without types may have written anything.
  const { description, schema, parse, output, execute, timeout, concurrency, maxResultBytes, title, enabled, annotations } =
    tool as { readonly [Property in keyof AnyTool]: unknown }
  require(typeof description === "string" && description.trim() !== "", "no_description", "say what the tool does, for the model", "description")
  require(schema == null || parse == null, "schema_and_parse", "schema and parse are two validations for one call: keep one")
  require(schema == null || isStandardSchema(schema), "invalid_schema", "it is no Standard Schema (zod 4, valibot 1, arktype 2 and others are)", "schema")
  require(output == null || isStandardSchema(output), "invalid_schema", "it is no Standard Schema", "output")
  require(typeof execute === "function", "invalid_option", "it must be a function", "execute")
  require(parse == null || typeof parse === "function", "invalid_option", "it must be a function", "parse")
  require(isPositive(timeout), "invalid_option", "it must be a positive number of milliseconds", "timeout")
  require(isPositive(maxResultBytes), "invalid_option", "it must be a positive number of bytes", "maxResultBytes")
  require(CONCURRENCIES.includes(concurrency as ToolConcurrency), "invalid_option", "it must be parallel, serial or latest", "concurrency")
  require(isTyped(title, "string"), "invalid_option", "it must be a string", "title")
  require(isTyped(enabled, "boolean"), "invalid_option", "it must be true or false", "enabled")
  require(isTyped(annotations, "object"), "invalid_option", "it must be an object", "annotations")
  toolSpecOf(name, tool)
}
