/**
 * From a tool's definition to the JSON Schema that is published, whichever way the definition says it. Converts by the standard
 * face of a schema only (Standard JSON Schema, `~standard.jsonSchema`), so no schema library is in the bundle.
 */

import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { copyJson } from "./copyJson.ts"
import { locateUnrepresentable, strictOptions } from "./locateUnrepresentable.ts"
import type { AnyTool } from "./tool.ts"
import { ToolDefinitionError } from "./toolDefinitionError.ts"
import type { JsonSchema } from "./toolSpec.ts"

/** What a schema takes, or what it gives. */
type Side = keyof StandardJSONSchemaV1.Converter

/** What to do about a schema that cannot write itself as JSON Schema, by its library. */
const REMEDIES: Readonly<Record<string, string>> = {
  zod: "use zod instead of zod/mini, or give parameters: z.toJSONSchema(schema, { io: \"input\" })",
  valibot: "wrap it with toStandardJsonSchema() of @valibot/to-json-schema",
}

function convert(schema: StandardSchemaV1, side: Side, tool: string): unknown {
  const { vendor, jsonSchema } = schema["~standard"] as StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>
  if (!jsonSchema) {
    throw new ToolDefinitionError(
      "schema_not_describable",
      tool,
      `this ${vendor} schema cannot write itself as JSON Schema: ${REMEDIES[vendor] ?? "give parameters beside it"}`,
    )
  }
  const write = (target: string, libraryOptions: Record<string, unknown>) => jsonSchema[side]({ target, libraryOptions })
  try {
    return write("draft-2020-12", strictOptions)
  } catch (cause) {
    try {
      return write("draft-07", strictOptions)
    } catch {
      // The first refusal is the one to report.
    }
    const refusal = cause instanceof Error ? cause.message : String(cause)
    const path = locateUnrepresentable((libraryOptions) => write("draft-2020-12", libraryOptions), refusal)
    throw new ToolDefinitionError("unrepresentable", tool, `${refusal}; use a type that JSON has and convert it`, { path, cause })
  }
}

/** Follows a `$ref` inside the schema, one step. */
function follow(schema: unknown, root: JsonSchema): JsonSchema {
  const { $ref } = schema as JsonSchema
  const target =
    typeof $ref === "string" && $ref.startsWith("#/")
      ? $ref.slice(2).split("/").reduce<unknown>((node, key) => (node as JsonSchema | undefined)?.[key], root)
      : undefined
  return (target ?? schema) as JsonSchema
}

/** Whether a schema that does not contradict it means an object: by its type, or in each case of its union. */
function meansObject(schema: JsonSchema, root: JsonSchema, depth = 0): boolean {
  const { type, anyOf, oneOf } = schema
  const cases = anyOf ?? oneOf
  if (type !== undefined) return type === "object"
  if (Array.isArray(cases)) return depth < 9 && cases.every((one) => meansObject(follow(one, root), root, depth + 1))
  return !("const" in schema || "enum" in schema || "not" in schema)
}

const notAnObject = (tool: string): ToolDefinitionError =>
  new ToolDefinitionError("root_not_object", tool, "the parameters must describe an object: wrap them in one")

/** The root as models want it: `type: "object"` and `properties` spoken out, no `$schema`, no `$ref` to itself. */
function objectRoot(schema: JsonSchema, tool: string): JsonSchema {
  if (typeof schema !== "object" || Array.isArray(schema)) throw notAnObject(tool)
  const target = follow(schema, schema)
  const { $schema: _dialect, $ref, ...rest } = schema
  const root = target === schema ? { ...($ref !== undefined && { $ref }), ...rest } : { ...target, ...rest }
  if (!meansObject(root, schema)) throw notAnObject(tool)
  return Object.freeze({ ...root, type: "object", properties: root.properties ?? {} })
}

/** A frozen copy of a JSON Schema. */
function jsonSchemaOf(value: unknown, tool: string, path: readonly string[]): JsonSchema {
  const copy = copyJson(value)
  if (!copy.ok) throw new ToolDefinitionError("not_json", tool, copy.reason, { path: [...path, ...copy.path] })
  return copy.value as JsonSchema
}

/** Each schema object is converted once, so one that is made outside the render is converted once for good. */
const published = { input: new WeakMap<object, JsonSchema>(), output: new WeakMap<object, JsonSchema>() }

function remember(side: Side, source: object, describe: () => JsonSchema): JsonSchema {
  let known = published[side].get(source)
  if (!known) published[side].set(source, (known = describe()))
  return known
}

/** The parameters of a tool that takes anything. */
const ANYTHING: JsonSchema = {}

/**
 * The JSON Schema that a tool's arguments are published with: `parameters` where the definition has them, else what `schema`
 * takes (its input side, by draft 2020-12, or draft-07 where the library refuses that).
 *
 * The result is frozen and remembered for the schema or `parameters` object: a later change by mutation is not seen.
 *
 * @param tool - The definition.
 * @param name - The tool's name, for the error.
 * @throws ToolDefinitionError `no_parameters`, `schema_not_describable`, `unrepresentable`, `not_json` or `root_not_object`
 */
export function parametersOf(tool: Pick<AnyTool, "schema" | "parameters">, name = ""): JsonSchema {
  const { schema } = tool
  const parameters = (tool.parameters as unknown) === true ? ANYTHING : tool.parameters
  if (parameters != null) {
    return remember("input", parameters, () => objectRoot(jsonSchemaOf(parameters, name, ["parameters"]), name))
  }
  if (schema == null) {
    throw new ToolDefinitionError("no_parameters", name, "it does not say what it takes: give a schema, or parameters")
  }
  return remember("input", schema, () => objectRoot(jsonSchemaOf(convert(schema, "input", name), name, ["schema"]), name))
}

/**
 * The JSON Schema of what a tool promises to return: the output side of its `output` schema, since the model gets the checked
 * value. Any root is fine. Frozen and remembered as by {@link parametersOf}.
 *
 * @throws ToolDefinitionError `schema_not_describable`, `unrepresentable` or `not_json`
 */
export function outputOf(tool: Pick<AnyTool, "output">, name = ""): JsonSchema | undefined {
  const { output } = tool
  if (output == null) return undefined
  return remember("output", output, () => {
    const { $schema: _dialect, ...schema } = jsonSchemaOf(convert(output, "output", name), name, ["output"])
    return Object.freeze(schema)
  })
}
