import { canonicalJson } from "../../tool/canonicalJson.ts"
import type { JsonSchema } from "../../tool/toolSpec.ts"
import { type Budget, deref, isSchema, mergeAllOf, mergeBoth, spend } from "./modelToolsMerge.ts"

/** What changed on the way, in the words of a difference. */
export type TellRoot = (kind: "rewritten" | "dropped", text: string) => void

const isScalar = (value: unknown): boolean => value === null || ["string", "number", "boolean"].includes(typeof value)

/** The values of a schema that says nothing but them. */
function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  const values = Object.hasOwn(schema, "const") ? [schema.const] : schema.enum
  const others = Object.keys(schema).filter((key) => !["const", "enum", "type", "title", "description"].includes(key))
  return Array.isArray(values) && others.length === 0 && values.every(isScalar) ? (values as readonly unknown[]) : undefined
}

/** A schema that takes what any of these takes. */
function anyOf(schemas: readonly unknown[]): unknown {
  const different = [...new Map(schemas.map((schema) => [canonicalJson(schema), schema])).values()]
  if (different.length < 2) return different[0]
  const values = different.map((schema) => (isSchema(schema) ? valuesOf(schema) : undefined))
  if (values.every((known) => known !== undefined)) return { enum: [...new Set(values.flat())] }
  return { anyOf: different }
}

/** The variants of a union of objects as one object with all their properties; only what all of them require is required. */
function oneObject(own: JsonSchema, variants: readonly JsonSchema[]): JsonSchema {
  const keys = [...new Set(variants.flatMap((variant) => Object.keys(variant.properties as object)))]
  const properties = keys.map((key): [string, unknown] => {
    const said = variants.map((variant) => variant.properties as JsonSchema).filter((all) => Object.hasOwn(all, key))
    return [key, anyOf(said.map((all) => all[key]))]
  })
  const requiredOf = (variant: JsonSchema): readonly string[] => (Array.isArray(variant.required) ? (variant.required as string[]) : [])
  const [first = {}, ...rest] = variants
  const required = requiredOf(first).filter((key) => rest.every((variant) => requiredOf(variant).includes(key)))
  const together = variants.map((variant) => requiredOf(variant).map((key) => JSON.stringify(key)).join(", ") || "nothing")
  const description = [own.description, `Give together: ${together.join("; or: ")}.`].filter(Boolean).join(" ")
  const union: JsonSchema = { type: "object", properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) }
  const { additionalProperties: _open, ...plain } = own
  // What stands beside a union holds for each variant; where both cannot be said, what any of them takes is.
  const merged = mergeBoth(own, union) ?? { ...plain, ...union, properties: { ...(plain.properties as object), ...(union.properties as object) } }
  return { ...merged, description, ...(variants.every((variant) => variant.additionalProperties === false) && { additionalProperties: false }) }
}

/** Unions within unions at the root: more is a schema that contains itself. */
const MAX_UNION_DEPTH = 8

/**
 * The root of a tool's parameters as every provider wants it: one object, without a union, an intersection or a `$ref`.
 *
 * @returns `undefined` where it is no object
 * @throws RangeError where the budget is spent
 */
export function objectRootOf(schema: JsonSchema, budget: Budget, tell: TellRoot, root: JsonSchema = schema, depth = 0): JsonSchema | undefined {
  spend(budget)
  if (depth > MAX_UNION_DEPTH) return undefined
  const { $schema: _dialect, $id: _id, $ref: _cyclic, ...found } = deref(schema, root)
  let flat: JsonSchema | undefined = found
  if ("allOf" in found) {
    flat = mergeAllOf(found, root, budget)
    const { allOf: _parts, ...own } = found
    if (flat) tell("rewritten", "the parts of allOf are one object")
    else tell("dropped", "allOf cannot be said as one object at the root; only the page checks it")
    flat ??= own
  }
  for (const key of ["anyOf", "oneOf"]) {
    if (!(key in flat)) continue
    const { [key]: all, ...own }: JsonSchema = flat
    const variants: readonly JsonSchema[] = (Array.isArray(all) ? (all as readonly unknown[]) : [])
      .map((one) => (isSchema(one) ? objectRootOf(one, budget, () => {}, root, depth + 1) : undefined))
      .filter((one) => one !== undefined)
    if (variants.length === 0 && !isSchema(own.properties)) return undefined
    flat = variants.length === 0 ? own : oneObject(own, variants)
    tell("rewritten", `${key} is one object with the properties of all its variants; which go together only the page checks`)
  }
  for (const key of ["enum", "const", "not"]) {
    if (!(key in flat)) continue
    const { [key]: _dropped, ...rest } = flat
    flat = rest
    tell("dropped", `${key} may not stand at the root; only the page checks it`)
  }
  const { type = "object", properties = {}, ...rest } = flat
  const isObject = type === "object" || (Array.isArray(type) && type.includes("object"))
  return isObject && isSchema(properties) ? { type: "object", properties, ...rest } : undefined
}
