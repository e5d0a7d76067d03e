import type { JsonSchema } from "../../tool/toolSpec.ts"
import { isSchema, resolveRef } from "./modelToolsMerge.ts"
import type { SchemaPath, TellSchema } from "./modelToolsSchema.ts"
import { isType } from "./modelToolsTypes.ts"

/** Keywords by what stands there (JSON Schema 2020-12, "Applicator", "Validation" and "Core" vocabularies). */
const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"])
const SINGLE = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema"])
const NUMBERS = new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"])
const COUNTS = new Set(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"])
const TEXTS = new Set(["title", "description", "format", "pattern", "$comment"])
const FLAGS = new Set(["uniqueItems", "deprecated", "readOnly", "writeOnly"])

/** Say which draft it is, or by which name it is found; all is found by its place here, and providers read the newest draft. */
const NAMES = new Set(["$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$vocabulary"])

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === "string") && new Set(value).size === value.length

/** Whether the newest draft takes such a value of a keyword that holds no schema. */
function isGood(key: string, value: unknown): boolean {
  if (NUMBERS.has(key)) return typeof value === "number" && (key !== "multipleOf" || value > 0)
  if (COUNTS.has(key)) return isCount(value)
  if (TEXTS.has(key)) return typeof value === "string"
  if (FLAGS.has(key)) return typeof value === "boolean"
  if (key === "type") return isType(value) && (!Array.isArray(value) || isTexts(value))
  if (key === "required") return isTexts(value)
  return (key !== "enum" && key !== "examples") || Array.isArray(value)
}

export interface NewestDraftOptions {
  /** Whether regular expressions stay: whoever compiles the schema would compile them, whoever wrote them. @default true */
  readonly keepsPatterns?: boolean
}

/**
 * Says a schema in the newest draft, 2020-12, wherever it was written: a provider checks each tool by that draft's own schema, and refuses a
 * request with one that breaks it as a whole. Keywords of older drafts, and the `nullable` of OpenAPI, are said anew, what no draft knows is dropped, and so is a reference
 * that leads nowhere.
 */
export function toNewestDraft(root: JsonSchema, tell: TellSchema, { keepsPatterns = true }: NewestDraftOptions = {}): JsonSchema {
  const drop = (key: string, path: SchemaPath): void => tell("dropped", path, `${key} has a value that JSON Schema does not know; only the page checks it`)

  function listOf(key: string, value: unknown, path: SchemaPath): readonly unknown[] | undefined {
    if (Array.isArray(value) && value.length > 0) return value.map((one: unknown, index) => convert(one, key === "prefixItems" ? [...path, index] : path))
    drop(key, path)
    return undefined
  }

  function mapOf(key: string, value: unknown, path: SchemaPath): JsonSchema | undefined {
    if (isSchema(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, convert(one, key === "properties" ? [...path, name] : path)]))
    drop(key, path)
    return undefined
  }

  /** Of a bound that an older draft makes exclusive by a flag beside it. */
  function boundsOf(node: JsonSchema): JsonSchema {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = node
    if (typeof exclusiveMinimum !== "boolean" && typeof exclusiveMaximum !== "boolean") return node
    return {
      ...rest,
      ...(exclusiveMinimum === true ? { exclusiveMinimum: minimum } : { minimum, ...(exclusiveMinimum !== false && { exclusiveMinimum }) }),
      ...(exclusiveMaximum === true ? { exclusiveMaximum: maximum } : { maximum, ...(exclusiveMaximum !== false && { exclusiveMaximum }) }),
    }
  }

  /** A list of items is a tuple in older drafts, and `additionalItems` what comes behind it. */
  function itemsOf(node: JsonSchema): JsonSchema {
    const { items, additionalItems, ...rest } = node
    if (!Array.isArray(items)) return "additionalItems" in node ? { ...rest, ...(items !== undefined && { items }) } : node
    return { ...rest, ...(items.length > 0 && { prefixItems: items as unknown[] }), ...(additionalItems !== undefined && { items: additionalItems }) }
  }

  /** OpenAPI's way to say that null is taken too, which no draft knows. */
  function nullsOf(node: JsonSchema): JsonSchema {
    const { nullable, type, enum: values, ...rest } = node
    if (nullable !== true || typeof type !== "string" || type === "null") return node
    return { type: [type, "null"], ...(Array.isArray(values) && { enum: values.includes(null) ? values : [...(values as unknown[]), null] }), ...rest }
  }

  function convert(given: unknown, path: SchemaPath): unknown {
    if (typeof given === "boolean") return given
    if (!isSchema(given)) {
      tell("dropped", path, "it is no schema; only the page checks it")
      return {}
    }
    const node = nullsOf(boundsOf(itemsOf(keepsPatterns ? given : withoutPatterns(given))))
    if (node !== given && JSON.stringify(node) !== JSON.stringify(given)) tell("rewritten", path, "keywords of another draft are said in the newest one, 2020-12")
    const said: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(node)) {
      if (value === undefined || NAMES.has(key)) continue
      const inner = key === "items" ? [...path, "[]"] : path
      const one = MAPS.has(key) ? mapOf(key, value, path) : LISTS.has(key) ? listOf(key, value, path) : SINGLE.has(key) ? convert(value, inner) : value
      if (one === undefined) continue
      if (isGood(key, one)) said[key] = one
      else drop(key, path)
    }
    return said
  }

  const said = convert(root, []) as JsonSchema
  return withoutDangling(said, said, [], tell) as JsonSchema
}

/** What patterns take beside the named properties is said by nothing then, so nothing may forbid it. */
function withoutPatterns(node: JsonSchema): JsonSchema {
  const { pattern: _pattern, patternProperties, ...rest } = node
  if (patternProperties === undefined) return rest
  const { additionalProperties: _additional, unevaluatedProperties: _unevaluated, ...open } = rest
  return open
}

/** A copy in which every reference leads somewhere: after all was rewritten, since what it names may stand elsewhere then. */
function withoutDangling(node: unknown, root: JsonSchema, path: SchemaPath, tell: TellSchema): unknown {
  if (!isSchema(node)) return node
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
      if (MAPS.has(key)) {
        const named = Object.entries(value as JsonSchema).map(([name, one]) => [name, withoutDangling(one, root, key === "properties" ? [...path, name] : path, tell)])
        return [[key, Object.fromEntries(named)]]
      }
      if (LISTS.has(key)) return [[key, (value as unknown[]).map((one) => withoutDangling(one, root, path, tell))]]
      if (SINGLE.has(key)) return [[key, withoutDangling(value, root, key === "items" ? [...path, "[]"] : path, tell)]]
      if ((key !== "$ref" && key !== "$dynamicRef") || resolveRef(value, root)) return [[key, value]]
      tell("dropped", path, `"${String(value)}" leads nowhere within the tool's own schema`)
      return []
    }),
  )
}
