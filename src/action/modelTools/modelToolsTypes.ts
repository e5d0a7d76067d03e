import type { JsonSchema } from "../../tool/toolSpec.ts"

const TYPES = new Set<unknown>(["string", "number", "integer", "boolean", "object", "array", "null"])

/** The type that a keyword speaks of. */
const TYPE_OF_KEYWORD: Readonly<Record<string, string>> = {
  properties: "object",
  required: "object",
  additionalProperties: "object",
  patternProperties: "object",
  propertyNames: "object",
  items: "array",
  prefixItems: "array",
  minItems: "array",
  maxItems: "array",
  uniqueItems: "array",
  contains: "array",
  minLength: "string",
  maxLength: "string",
  pattern: "string",
  format: "string",
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
}

/** The JSON type of a value, `object` and `array` apart. */
export const typeName = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)

/** Whether it is a type's name, or a list of them. */
export function isType(type: unknown): boolean {
  const names = Array.isArray(type) ? (type as unknown[]) : [type]
  return names.length > 0 && names.every((name) => TYPES.has(name))
}

/** The type of a schema that says none: by its values, else by a keyword, which is named then. */
export function impliedType(schema: JsonSchema): { readonly type?: unknown; readonly keyword?: string } {
  const values = "const" in schema ? [schema.const] : Array.isArray(schema.enum) ? (schema.enum as unknown[]) : []
  const types = [...new Set(values.map(typeName))]
  if (types.length > 0) return { type: types.length > 1 ? types : types[0] }
  const keyword = Object.keys(schema).find((key) => Object.hasOwn(TYPE_OF_KEYWORD, key))
  return keyword === undefined ? {} : { type: TYPE_OF_KEYWORD[keyword], keyword }
}

/** One schema for each type where they have parts of their own: a list of types is for scalars. `undefined` beside a union. */
export function apart(schema: JsonSchema): JsonSchema | undefined {
  const { type, title, description, ...rest } = schema
  if (!Array.isArray(type) || type.length < 2 || !type.some((one) => one === "object" || one === "array")) return schema
  if ("enum" in rest || "const" in rest) return schema
  if ("anyOf" in rest || "oneOf" in rest) return undefined
  const only = (name: unknown): JsonSchema => ({
    type: name,
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => [undefined, name, name === "integer" ? "number" : name].includes(TYPE_OF_KEYWORD[key]))),
  })
  return { anyOf: type.map(only), ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
}
