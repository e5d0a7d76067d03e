import type { JsonSchema } from "../../tool/toolSpec.ts"
import { type Budget, deref, isSchema, spend } from "./modelToolsMerge.ts"

/** Whether a schema of the tool's own takes `null`. */
export function acceptsNull(schema: unknown, root: JsonSchema, budget: Budget, depth = 0): boolean {
  spend(budget)
  if (schema === true) return true
  if (!isSchema(schema) || depth > MAX_NULL_DEPTH) return false
  const accepts = (one: unknown): boolean => acceptsNull(one, root, budget, depth + 1)
  const found = deref(schema, root)
  const { type, anyOf, oneOf, allOf, not } = found
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).includes("null")) return false
  if (Object.hasOwn(found, "const") && found.const !== null) return false
  if (Array.isArray(found.enum) && !found.enum.includes(null)) return false
  if ([anyOf, oneOf].some((all) => Array.isArray(all) && !all.some(accepts))) return false
  if (Array.isArray(allOf) && !allOf.every(accepts)) return false
  return !(isSchema(not) && accepts(not))
}

/** Unions within unions: more is a schema that contains itself. */
const MAX_NULL_DEPTH = 32

/** Whether a schema as it is said plainly takes `null`. */
const saysNull = ({ type, enum: values, anyOf }: JsonSchema): boolean =>
  Array.isArray(anyOf)
    ? anyOf.some((one) => isSchema(one) && saysNull(one))
    : (Array.isArray(type) ? type : [type]).includes("null") && (!Array.isArray(values) || values.includes(null))

/** The schema, as it is said, or `null`. */
export function nullable(schema: JsonSchema): JsonSchema {
  if (saysNull(schema)) return schema
  const { type, anyOf, description, ...rest } = schema
  const types = Array.isArray(type) ? (type as string[]) : [String(type)]
  const isPlain = type !== undefined && !anyOf && !("enum" in rest) && !("const" in rest) && !types.includes("object") && !types.includes("array")
  if (isPlain) return { ...schema, type: [...types, "null"] }
  const note = description !== undefined && { description }
  if (Array.isArray(anyOf)) return { ...rest, anyOf: [...(anyOf as unknown[]), { type: "null" }], ...note }
  const { description: _moved, ...inner } = schema
  return { anyOf: [inner, { type: "null" }], ...note }
}
