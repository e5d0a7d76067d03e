import type { JsonSchema, JsonValue } from "react-tool-client"

interface FieldBase {
  readonly label: string
  readonly description: string | undefined
  /** What the schema fills in by itself. */
  readonly initial: JsonValue | undefined
}

/** A form's field, made of a JSON Schema. */
export type Field =
  | (FieldBase & { readonly kind: "text"; readonly format: string | undefined; readonly isLong: boolean })
  | (FieldBase & { readonly kind: "number"; readonly minimum: number | undefined; readonly maximum: number | undefined; readonly isWhole: boolean })
  | (FieldBase & { readonly kind: "boolean" })
  | (FieldBase & { readonly kind: "choice"; readonly options: readonly Choice[] })
  | (FieldBase & { readonly kind: "list"; readonly item: Field })
  | (FieldBase & { readonly kind: "group"; readonly properties: readonly Property[] })
  /** What no control says well: written as JSON. */
  | (FieldBase & { readonly kind: "json" })

export interface Choice {
  readonly value: JsonValue
  readonly label: string
}

export interface Property {
  readonly name: string
  readonly isRequired: boolean
  readonly field: Field
}

/** Texts that may be longer than this get more than one line. */
const LONG_TEXT = 120

/** Deeper schemas, and those that contain themselves, are written as JSON. */
const MAX_DEPTH = 5

const isObject = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

const labelOf = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value))

/** `delivery_address` and `deliveryAddress` as people write them. */
export function humanize(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ").trim().toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What a `$ref` within the schema points at; the schema itself where it points elsewhere. */
function follow(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const path = /^#\/(.+)$/.exec(textOf(schema["$ref"]) ?? "")?.[1]?.split("/")
  const target = path?.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), root)
  return isObject(target) ? { ...target, ...schema } : schema
}

/** The values of an `enum`, of a `const`, or of a union of such. */
function choicesOf(schema: JsonSchema): readonly Choice[] | undefined {
  if (Array.isArray(schema["enum"])) return (schema["enum"] as JsonValue[]).map((value) => ({ value, label: labelOf(value) }))
  if ("const" in schema) {
    const value = schema["const"] as JsonValue
    return [{ value, label: textOf(schema["title"]) ?? labelOf(value) }]
  }
  const union: unknown = schema["anyOf"] ?? schema["oneOf"]
  if (!Array.isArray(union)) return undefined
  const options = union.map((option) => (isObject(option) ? choicesOf(option) : undefined))
  return options.every((option) => option !== undefined) ? options.flat() : undefined
}

/** The field for one schema; never throws, since whatever a page publishes may come here. */
export function fieldOf(given: unknown, label: string, root: JsonSchema, depth = 0): Field {
  const schema = follow(isObject(given) ? given : {}, root)
  const base: FieldBase = {
    label: textOf(schema["title"]) ?? label,
    description: textOf(schema["description"]),
    initial: schema["default"] as JsonValue | undefined,
  }
  if (depth > MAX_DEPTH) return { ...base, kind: "json" }
  const options = choicesOf(schema)
  if (options) return { ...base, kind: "choice", options }
  switch (schema["type"]) {
    case "string":
      return { ...base, kind: "text", format: textOf(schema["format"]), isLong: (numberOf(schema["maxLength"]) ?? 0) > LONG_TEXT }
    case "number":
    case "integer":
      return {
        ...base,
        kind: "number",
        minimum: numberOf(schema["minimum"]),
        maximum: numberOf(schema["maximum"]),
        isWhole: schema["type"] === "integer",
      }
    case "boolean":
      return { ...base, kind: "boolean" }
    case "array": {
      const item = fieldOf(schema["items"], label, root, depth + 1)
      const isSimple = item.kind !== "group" && item.kind !== "list" && item.kind !== "json"
      return isSimple ? { ...base, kind: "list", item } : { ...base, kind: "json" }
    }
    case "object": {
      if (!isObject(schema["properties"])) return { ...base, kind: "json" }
      const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : []
      const properties = Object.entries(schema["properties"]).map(([name, property]) => ({
        name,
        isRequired: required.includes(name),
        field: fieldOf(property, humanize(name), root, depth + 1),
      }))
      return { ...base, kind: "group", properties }
    }
    default:
      return { ...base, kind: "json" }
  }
}

/** The form for a tool's parameters. */
export const formOf = (parameters: JsonSchema): Field => fieldOf(parameters, "Arguments", parameters)
