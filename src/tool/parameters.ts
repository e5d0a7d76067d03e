/**
 * From a tool's definition to the JSON Schema that is published, whichever way the definition says it. Converts by the standard
 * face of a schema only (Standard JSON Schema, `~standard.jsonSchema`), so no schema library is in the bundle.
 */

import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { copyJson } from "./copyJson.ts"
import { reasonOf } from "./reason.ts"
import { outlineOf, sameSchema } from "./sameSchema.ts"
import { locatingOptions, MARK, markingOptions, valuePath } from "./schemaLibraries.ts"
import type { AnyTool } from "./tool.ts"
import { ToolDefinitionError } from "./toolDefinitionError.ts"
import type { JsonSchema } from "./toolSpec.ts"

/** What a schema takes, or what it gives. */
type Side = keyof StandardJSONSchemaV1.Converter

/**
 * Asks a schema for its JSON Schema, by draft 2020-12, or draft-07 where the library refuses that. Marked where a type cannot be
 * said; at the root when only that much is known.
 */
function convert(schema: StandardSchemaV1, side: Side, tool: string): unknown {
  const { vendor, jsonSchema } = schema["~standard"] as StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>
  // Also one of zod/mini, and of a zod 4 that does not write by itself yet: zod 4's `toJSONSchema` writes it, and throws on one of zod 3.
  const isZod4 = "_zod" in schema
  if (!jsonSchema)
    throw new ToolDefinitionError(
      "schema_not_describable",
      tool,
      `this ${vendor} schema cannot write itself as JSON Schema: ${vendor === "valibot" ? "wrap it by toStandardJsonSchema() of @valibot/to-json-schema, or " : vendor === "zod" ? (isZod4 ? "" : "it is zod 3: use zod 4, or ") : ""}give parameters too${isZod4 ? ' (z.toJSONSchema(schema, { io: "input" }))' : ""}`,
    )
  const write = (target: string, libraryOptions = markingOptions) => jsonSchema[side]({ target, libraryOptions })
  try {
    return write("draft-2020-12")
  } catch (refusal) {
    try {
      return write("draft-07")
    } catch {
      const root = { [MARK]: reasonOf(refusal) }
      try {
        return { ...write("draft-2020-12", locatingOptions), ...root }
      } catch {
        return root
      }
    }
  }
}

/** Follows a `$ref` inside the root, one step. */
const follow = (schema: JsonSchema, root: JsonSchema): JsonSchema =>
  /^#\/(.+)/
    .exec(String(schema.$ref))?.[1]
    ?.split("/")
    .reduce((node, key) => node?.[key] as JsonSchema, root) ?? schema

/** Whether a schema means an object: by its type, or in each case of its union; one that says nothing of it may. */
function meansObject(schema: JsonSchema, root: JsonSchema, depth = 0): boolean {
  const { type, anyOf, oneOf = anyOf } = schema
  if (type) return type === "object"
  if (Array.isArray(oneOf)) return depth < 9 && oneOf.every((one: JsonSchema) => meansObject(follow(one, root), root, depth + 1))
  return !["const", "enum", "not", "$ref"].some((key) => key in schema)
}

const NOTHING = Object.freeze({})

/** The root as models want it: `type: "object"` and `properties` spoken out, and what a `$ref` points at in its place. */
function objectRoot(schema: JsonSchema, tool: string): JsonSchema {
  // Most are right as they are.
  if (schema.type === "object" && schema.properties && !("$ref" in schema)) return schema
  const target = follow(schema, schema)
  if (typeof schema !== "object" || typeof target !== "object" || Array.isArray(schema) || !meansObject(target, schema))
    throw new ToolDefinitionError("root_not_object", tool, `the parameters must be of the type "object"${typeof target?.type === "string" ? `, not ${JSON.stringify(target.type)}` : ""}: wrap them in one`)
  const { $ref: _followed, ...root } = { ...schema, ...target }
  return { type: "object", properties: NOTHING, ...root }
}

/**
 * Each schema object is converted once, so one that is made outside the render is converted once for good; and of those that mean the
 * same, such as the schemas of a list's rows, mostly the first only.
 */
const published = { input: new WeakMap<object, JsonSchema>(), output: new WeakMap<object, JsonSchema>() }

/** How many of the last converted ones a new schema is compared with. To compare costs a tenth of what it costs to convert. */
const COMPARED = 4
/** A schema is held weakly: it may close over what its component holds. */
interface Converted {
  readonly source: WeakRef<object>
  readonly outline: string
  readonly schema: JsonSchema
}

/** The newest last. */
const recent: Readonly<Record<Side, Converted[]>> = { input: [], output: [] }

/** By what was published of them, parameters as they were then: they may have been changed in place since. */
const written = new WeakMap<JsonSchema, unknown>()

/** Whether `parameters` say what those said that were published so; `false` for those of a schema. */
export const isWritten = (schema: JsonSchema, parameters: unknown): boolean => written.has(schema) && sameSchema(written.get(schema), parameters)

/** Which draft it is by is the same for all, and said where they are published. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  if (!("$schema" in schema)) return schema
  const { $schema: _dialect, ...rest } = schema
  return rest
}

function publish(side: Side, source: object, tool: string, isSchema: boolean): JsonSchema {
  const known = published[side].get(source)
  if (known) return known
  const outline = outlineOf(source)
  const alike = publishedAlike(side, source, outline)
  if (alike) {
    published[side].set(source, alike)
    return alike
  }
  const copy = copyJson(isSchema ? convert(source as StandardSchemaV1, side, tool) : source, (object) => (object as { readonly [MARK]?: string })[MARK])
  if (!copy.ok)
    throw isSchema
      ? new ToolDefinitionError("unrepresentable", tool, `${copy.reason}; use a JSON type and convert it`, valuePath(copy.path))
      : new ToolDefinitionError("not_json", tool, copy.reason + (copy.reason.startsWith("a sc") ? ": pass the whole as schema, not as parameters" : ""), ["parameters", ...copy.path])
  const value = copy.value as JsonSchema
  const schema = Object.freeze(withoutDialect(side === "input" ? objectRoot(value, tool) : value))
  published[side].set(source, schema)
  if (!isSchema) written.set(schema, value)
  const before = recent[side]
  before.push({ source: new WeakRef(source), outline, schema })
  if (before.length > COMPARED) before.shift()
  return schema
}

const publishedAlike = (side: Side, source: object, outline: string): JsonSchema | undefined =>
  recent[side].find((one) => one.outline === outline && sameSchema(written.get(one.schema) ?? one.source.deref(), source))?.schema

/** What the schema `true` says as an object. */
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
  // Read as if nothing were known: a caller without types may have given anything.
  const { schema, parameters: given } = (tool ?? {}) as Partial<AnyTool>
  const parameters = (given as unknown) === true ? ANYTHING : given
  const source = parameters ?? schema
  if (!source) throw new ToolDefinitionError("no_parameters", name, "give it a schema, or parameters")
  return publish("input", source, name, !parameters)
}

/**
 * The JSON Schema of what a tool promises to return: the output side of its `output` schema, since the model gets the checked
 * value. Any root is fine. Frozen and remembered as by {@link parametersOf}.
 *
 * @throws ToolDefinitionError `schema_not_describable` or `unrepresentable`
 */
export const outputOf = ({ output }: Pick<AnyTool, "output">, name = ""): JsonSchema | undefined =>
  output && publish("output", output, name, true)
