/**
 * Whether two schemas would be published alike, told without converting either. A schema that is written inline is a new object in
 * each render and nearly always means the same; converting it to JSON Schema is the dearest part of a render.
 */

/** What zod 4 (classic and mini) keeps of a schema; all that it converts from is in `def`, and in its registry. */
interface ZodLike {
  readonly _zod?: { readonly def: object; readonly toJSONSchema?: unknown; readonly parent?: object }
}

interface Registry {
  get(schema: object): object | undefined
}

/** Where zod keeps descriptions and other metadata, for all its copies in a page. */
const metaOf = (schema: object): object | undefined =>
  (globalThis as { readonly __zod_globalRegistry?: Registry }).__zod_globalRegistry?.get(schema)

/** Beyond it a schema is converted after all; a recursive one has no end. */
const MAX_VALUES = 500

/** What is never published: messages, and the functions that only validate. */
const UNPUBLISHED = new Set(["error", "abort", "when", "fn"])

/**
 * `true` only where it is certain. Of other libraries than zod, and where a part could be published differently (a function, a
 * regular expression with state, a class of its own), two objects are only the same when they are one.
 */
export function sameSchema(one: unknown, other: unknown): boolean {
  let values = 0

  function sameParts(a: object, b: object): boolean {
    const keys = Object.keys(a)
    return keys.length === Object.keys(b).length && keys.every((key) => key in b && (UNPUBLISHED.has(key) || same(a[key as never], b[key as never])))
  }

  function same(a: unknown, b: unknown): boolean {
    if (Object.is(a, b)) return true
    if (typeof a !== "object" || typeof b !== "object" || !a || !b || ++values > MAX_VALUES) return false
    const { _zod: zod } = a as ZodLike
    const { _zod: otherZod } = b as ZodLike
    if (zod && otherZod) {
      return !zod.toJSONSchema && !otherZod.toJSONSchema && same(metaOf(a), metaOf(b)) && sameParts(zod.def, otherZod.def)
    }
    if (a instanceof RegExp) return b instanceof RegExp && String(a) === String(b)
    const prototype: unknown = Object.getPrototypeOf(a)
    return prototype === Object.getPrototypeOf(b) && (prototype === Object.prototype || Array.isArray(a)) && sameParts(a, b)
  }

  return same(one, other)
}
