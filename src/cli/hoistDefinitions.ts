import type { JsonSchema } from "../tool/toolSpec.ts"

/** The values of these keywords are data: a `$ref` in them is a word like any other. */
const DATA = new Set(["const", "enum", "default", "examples"])
/** Keywords of json-schema-to-typescript whose values it writes as code: a manifest must not say what code is. */
const CODE = new Set(["tsType", "tsEnumNames"])
const DEFINITIONS = ["$defs", "definitions"]

/** A tuple as draft-07 says it, which the type writer reads: `prefixItems` of 2020-12 were `items`, and `items` were `additionalItems`. */
function withTuple(schema: object): object {
  if (!("prefixItems" in schema) || !Array.isArray(schema.prefixItems)) return schema
  const { prefixItems, items, ...rest } = schema as { prefixItems: unknown[]; items?: unknown }
  return { minItems: prefixItems.length, ...rest, items: prefixItems, additionalItems: items ?? true }
}

/** What is not percent-encoded stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export interface Hoisted {
  /** The schema without its definitions, pointing at where they are now. */
  readonly root: JsonSchema
  readonly hoisted: Readonly<Record<string, unknown>>
}

/**
 * Takes a schema's definitions out, so that it can stand below another root: `#/$defs/Node` of the schema `Tree` becomes
 * `#/$defs/TreeNode`, and `#` becomes `#/$defs/Tree`.
 */
export function hoistDefinitions(schema: JsonSchema, name: string): Hoisted {
  const nameOf = (key: string): string => name + key.charAt(0).toUpperCase() + key.slice(1).replace(/[^A-Za-z0-9]+/g, "_")

  function pointer(ref: string): string {
    const [, defined, rest = ""] = /^#\/(?:\$defs|definitions)\/([^/]+)(.*)$/.exec(ref) ?? []
    if (defined !== undefined) return `#/$defs/${nameOf(decoded(defined).replaceAll("~1", "/").replaceAll("~0", "~"))}${rest}`
    return ref.startsWith("#") ? `#/$defs/${name}${ref.slice(1)}` : ref
  }

  function moved(value: unknown, isNames = false): unknown {
    if (Array.isArray(value)) return value.map((one) => moved(one))
    if (typeof value !== "object" || value === null) return value
    const object = isNames ? value : withTuple(value)
    return Object.fromEntries(
      Object.entries(object).flatMap(([key, one]) => {
        if (!isNames && CODE.has(key)) return []
        if (!isNames && key === "$ref" && typeof one === "string") return [[key, pointer(one)]]
        if (!isNames && DATA.has(key)) return [[key, one as unknown]]
        return [[key, moved(one, !isNames && (key === "properties" || key === "patternProperties"))]]
      }),
    )
  }

  const definitions = DEFINITIONS.flatMap((key) => Object.entries((schema[key] ?? {}) as Readonly<Record<string, unknown>>))
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !DEFINITIONS.includes(key)))
  return {
    root: moved(rest) as JsonSchema,
    hoisted: Object.fromEntries(definitions.map(([key, definition]) => [nameOf(key), moved(definition)])),
  }
}
