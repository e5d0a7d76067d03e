import type { StandardSchemaV1 } from "@standard-schema/spec"
import { checkToolName } from "./names.ts"
import type { AnyTool, ToolConcurrency } from "./tool.ts"
import { ToolDefinitionError, type ToolDefinitionErrorCode } from "./toolDefinitionError.ts"
import type { ToolSpec } from "./toolSpec.ts"
import { toolSpecOf } from "./toolSpecOf.ts"

/** What the options are: the last word is what `typeof` says. Only the first two must be there. */
const OPTIONS = Object.entries({
  description: "non-empty string",
  execute: "function",
  parse: "function",
  title: "non-empty string",
  enabled: "boolean",
  annotations: "object",
  timeout: "positive number",
  maxResultBytes: "positive number",
})

const MODES: readonly unknown[] = ["parallel", "serial", "latest"] satisfies ToolConcurrency[]

const isOfType = (value: unknown, type: string): boolean =>
  value !== null &&
  type.endsWith(typeof value) &&
  (typeof value === "number" ? value > 0 && value < Infinity : typeof value !== "string" || value.trim() !== "")

/**
 * Checks all of a definition before it is declared: the name with its prefix, the description, that exactly one of `schema` and
 * `parse` validates, that the parameters can be published, and the options.
 *
 * @param clientName - The name of the tool client, which becomes part of the tool's.
 * @param name - The tool's name.
 * @param tool - The definition.
 * @returns What is published of it.
 * @throws ToolDefinitionError on the first thing that is wrong
 */
export function checkTool(clientName: string, name: string, tool: AnyTool): ToolSpec {
  checkToolName(clientName, name)
  const refuse = (code: ToolDefinitionErrorCode, problem: string, ...path: string[]): never => {
    throw new ToolDefinitionError(code, name, problem, path)
  }
  // Read as if nothing were known: a caller without types may have written anything.
  const given = (tool ?? {}) as unknown as Readonly<Record<string, unknown>>
  for (const [key, type] of OPTIONS) {
    const value = given[key]
    const isRight = value === undefined ? key !== "description" && key !== "execute" : isOfType(value, type)
    if (!isRight) refuse(key === "description" ? "no_description" : "invalid_option", `it must be a ${type}`, key)
  }
  if (given.concurrency !== undefined && !MODES.includes(given.concurrency))
    refuse("invalid_option", "it must be parallel, serial or latest", "concurrency")
  for (const key of ["schema", "output"])
    if (given[key] && !(given[key] as StandardSchemaV1)["~standard"]?.validate) refuse("invalid_schema", "it is no Standard Schema, as of zod 4", key)
  if (given.schema && given.parse) refuse("schema_and_parse", "keep one of schema and parse: both validate")
  return toolSpecOf(name, tool)
}
