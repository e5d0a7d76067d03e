import { canonicalJson } from "../../tool/canonicalJson.ts"
import type { JsonSchema } from "../../tool/toolSpec.ts"

/**
 * Steps that one tool's schema may take to be read: a few lines of references to each other say more than a machine can write down, and
 * who wrote them may mean harm.
 */
const STEPS = 20_000

/** Counts steps. */
export interface Budget {
  left: number
}

export const createBudget = (): Budget => ({ left: STEPS })

/** @throws RangeError when there is none left */
export function spend(budget: Budget): void {
  if (--budget.left < 0) throw new RangeError("its schema says too much to be written down: its references contain each other too often")
}

export const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null && !Array.isArray(value)

const equal = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)

/** Follows a `$ref` within `root`; `undefined` where it leads nowhere. */
export function resolveRef(ref: unknown, root: JsonSchema): JsonSchema | undefined {
  if (ref === "#") return root
  if (typeof ref !== "string" || !ref.startsWith("#/")) return undefined
  let node: unknown = root
  for (const part of ref.slice(2).split("/")) {
    let key = part
    try {
      key = decodeURIComponent(part)
    } catch {
      // Not encoded, then.
    }
    key = key.replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined
    node = (node as Readonly<Record<string, unknown>>)[key]
  }
  return isSchema(node) ? node : undefined
}

/** The schema with what its `$ref`s point at in their place, its own keywords first. Stops where it comes round. */
export function deref(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const seen = new Set<unknown>()
  let found = schema
  while (found.$ref !== undefined && !seen.has(found.$ref)) {
    seen.add(found.$ref)
    const target = resolveRef(found.$ref, root)
    if (!target) break
    const { $ref: _followed, ...own } = found
    found = { ...target, ...own }
  }
  return found
}

/** How two values of one keyword, which both hold, are said as one; a keyword that is not here must be equal. */
const BOTH: Readonly<Record<string, (one: never, other: never) => unknown>> = {
  required: (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])],
  minimum: Math.max,
  exclusiveMinimum: Math.max,
  minLength: Math.max,
  minItems: Math.max,
  minProperties: Math.max,
  maximum: Math.min,
  exclusiveMaximum: Math.min,
  maxLength: Math.min,
  maxItems: Math.min,
  maxProperties: Math.min,
  title: (one: string) => one,
  description: (one: string, other: string) => (one.includes(other) ? one : `${one} ${other}`),
  enum: (one: readonly unknown[], other: readonly unknown[]) => {
    const both = one.filter((value) => other.some((again) => equal(value, again)))
    return both.length > 0 ? both : undefined
  },
  type: (one: unknown, other: unknown) => {
    const types = [one, other].map((type) => (Array.isArray(type) ? (type as string[]) : [String(type)]))
    const [first = [], second = []] = types
    const both = first.filter((type) => second.includes(type) || (type === "integer" && second.includes("number")))
    const narrowed = second.filter((type) => type === "integer" && first.includes("number") && !both.includes(type))
    const all = [...both, ...narrowed]
    return all.length > 1 ? all : all[0]
  },
}

/** One schema for two that both hold, or `undefined` where no plain one says it. */
export function mergeBoth(one: JsonSchema, other: JsonSchema): JsonSchema | undefined {
  const merged: Record<string, unknown> = { ...one }
  // One that is closed allows only its own properties, whatever the other declares.
  for (const [closed, open] of [[one, other], [other, one]] as const) {
    const { additionalProperties, properties } = closed
    if (additionalProperties === undefined || additionalProperties === true) continue
    const foreign = Object.keys(isSchema(open.properties) ? open.properties : {}).filter((key) => !isSchema(properties) || !Object.hasOwn(properties, key))
    if (foreign.length > 0) return undefined
  }
  for (const [key, value] of Object.entries(other)) {
    if (!Object.hasOwn(merged, key) || equal(merged[key], value)) {
      merged[key] = value
      continue
    }
    if (key === "properties" && isSchema(merged.properties) && isSchema(value)) {
      const properties: [string, unknown][] = Object.entries(merged.properties)
      for (const [name, schema] of Object.entries(value)) {
        const mine = properties.find(([known]) => known === name)
        if (!mine) properties.push([name, schema])
        else if (!equal(mine[1], schema)) {
          const both = isSchema(mine[1]) && isSchema(schema) ? mergeBoth(mine[1], schema) : undefined
          if (!both) return undefined
          mine[1] = both
        }
      }
      merged.properties = Object.fromEntries(properties)
      continue
    }
    if (key === "additionalProperties" && (value === true || merged[key] === true)) {
      merged[key] = value === true ? merged[key] : value
      continue
    }
    const say = Object.hasOwn(BOTH, key) ? BOTH[key] : undefined
    const said = say?.(merged[key] as never, value as never)
    if (said === undefined) return undefined
    merged[key] = said
  }
  return merged
}

/** More is a schema that contains itself. */
const MAX_ALL_OF_DEPTH = 8

/** Takes `allOf` apart, at this schema only; `undefined` where its parts cannot be said as one. */
export function mergeAllOf(schema: JsonSchema, root: JsonSchema, budget: Budget, depth = 0): JsonSchema | undefined {
  const { allOf, ...own } = schema
  if (!Array.isArray(allOf)) return schema
  if (depth > MAX_ALL_OF_DEPTH) return undefined
  let merged: JsonSchema | undefined = own
  for (const part of allOf as readonly unknown[]) {
    spend(budget)
    if (part === true) continue
    if (!isSchema(part) || !merged) return undefined
    const { $defs: _defs, definitions: _definitions, ...plain } = deref(part, root)
    const flat: JsonSchema | undefined = mergeAllOf(plain, root, budget, depth + 1)
    merged = flat && mergeBoth(merged, flat)
  }
  return merged
}
