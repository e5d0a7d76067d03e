import type { JsonSchema } from "../../tool/toolSpec.ts"
import { type Budget, createBudget, deref, isSchema, mergeAllOf, mergeBoth, spend } from "./modelToolsMerge.ts"
import { acceptsNull } from "./modelToolsNull.ts"

/** Whether the object that a model gave is one of this variant: its own names, and its own constants. */
function isOf(value: JsonSchema, variant: JsonSchema, root: JsonSchema): boolean {
  const { properties } = variant
  if (!isSchema(properties)) return false
  const names = Object.keys(properties)
  const isSame = names.length === Object.keys(value).length && names.every((name) => Object.hasOwn(value, name))
  return (
    isSame &&
    names.every((name) => {
      const said = isSchema(properties[name]) ? deref(properties[name], root) : {}
      const values: unknown[] | undefined = Object.hasOwn(said, "const") ? [said.const] : Array.isArray(said.enum) ? (said.enum as unknown[]) : undefined
      return !values || values.includes(value[name]) || value[name] === null
    })
  )
}

/** All that a schema may be, unions taken apart. */
function variantsOf(schema: unknown, root: JsonSchema, budget: Budget, depth = 0): readonly JsonSchema[] {
  spend(budget)
  if (!isSchema(schema) || depth > MAX_DEPTH) return []
  const found = deref(schema, root)
  const { anyOf, oneOf, allOf: _parts, ...own } = mergeAllOf(found, root, budget) ?? found
  const inner = [anyOf, oneOf].flatMap((all) => (Array.isArray(all) ? (all as unknown[]) : []))
  if (inner.length === 0) return [own]
  return inner.flatMap((one) => variantsOf(one, root, budget, depth + 1)).map((variant) => mergeBoth(own, variant) ?? variant)
}

/** Unions within unions. */
const MAX_DEPTH = 8

/**
 * What a tool takes, of what a model gave that had to give everything: `null` for an optional property that does not take `null` is left
 * out. What fits no schema stays as it is, for the page to refuse.
 */
export function withoutNulls(value: unknown, schema: unknown, root: JsonSchema, budget: Budget = createBudget()): unknown {
  const variants = variantsOf(schema, root, budget)
  if (Array.isArray(value)) {
    const variant = variants.find(({ items, prefixItems }) => items !== undefined || prefixItems !== undefined)
    const places = Array.isArray(variant?.prefixItems) ? (variant.prefixItems as unknown[]) : Array.isArray(variant?.items) ? (variant.items as unknown[]) : []
    return value.map((one: unknown, index) => withoutNulls(one, places[index] ?? variant?.items, root, budget))
  }
  if (!isSchema(value)) return value
  const objects = variants.filter((variant) => isSchema(variant.properties))
  const variant = objects.find((one) => isOf(value, one, root)) ?? objects[0]
  if (!variant) return value
  const properties = variant.properties as JsonSchema
  const required: readonly unknown[] = Array.isArray(variant.required) ? variant.required : []
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]): [string, unknown][] => {
      const said = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (one === null && said !== undefined && !required.includes(name) && !acceptsNull(said, root, budget)) return []
      return [[name, withoutNulls(one, said, root, budget)]]
    }),
  )
}
