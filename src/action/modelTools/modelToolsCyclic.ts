import type { JsonSchema } from "../../tool/toolSpec.ts"
import { isSchema, resolveRef } from "./modelToolsMerge.ts"

/**
 * Whether what a schema says contains itself, or something that does.
 *
 * @param through - Which properties are looked into: an optional one need not be given, so nothing is without end because of it.
 */
export function isCyclic(schema: unknown, root: JsonSchema, through: "all" | "required" = "all", above = new Set<unknown>(), done = new Set<unknown>()): boolean {
  if (Array.isArray(schema)) return schema.some((one) => isCyclic(one, root, through, above, done))
  if (!isSchema(schema) || done.has(schema)) return false
  if (above.has(schema)) return true
  above.add(schema)
  const inner = Object.entries(schema).flatMap(([key, value]) => {
    if (DATA.has(key)) return []
    if (key !== "properties" || !isSchema(value)) return [value]
    const { required } = schema
    return Object.entries(value).flatMap(([name, one]) => (through === "all" || (Array.isArray(required) && required.includes(name)) ? [one] : []))
  })
  const found = isCyclic([resolveRef(schema.$ref, root), ...inner], root, through, above, done)
  above.delete(schema)
  done.add(schema)
  return found
}

/** Keywords whose values are no schemas, or none that hold where they stand. */
const DATA = new Set(["$defs", "definitions", "const", "enum", "default", "examples"])
