import type { JsonSchema } from "../tool/toolSpec.ts"
import { isSchema, resolveRef } from "./modelToolsMerge.ts"

/** Whether what a schema says contains itself, or something that does. */
export function isCyclic(schema: unknown, root: JsonSchema, above = new Set<unknown>(), done = new Set<unknown>()): boolean {
  if (Array.isArray(schema)) return schema.some((one) => isCyclic(one, root, above, done))
  if (!isSchema(schema) || done.has(schema)) return false
  if (above.has(schema)) return true
  above.add(schema)
  const inner = Object.entries(schema).flatMap(([key, value]) => {
    if (DATA.has(key)) return []
    return key === "properties" && isSchema(value) ? Object.values(value) : [value]
  })
  const found = isCyclic([resolveRef(schema.$ref, root), ...inner], root, above, done)
  above.delete(schema)
  done.add(schema)
  return found
}

/** Keywords whose values are no schemas, or none that hold where they stand. */
const DATA = new Set(["$defs", "definitions", "const", "enum", "default", "examples"])
