/**
 * Whether two schemas would be published alike, told without converting either. A schema that is written inline is a new object in
 * each render and nearly always means the same; converting it to JSON Schema is the dearest part of a render.
 */

/** What zod 4 (classic and mini) keeps of a schema; all that it converts from is in `def`, and in its registry. */
interface ZodLike {
  readonly _zod?: { readonly def: object; readonly toJSONSchema?: unknown; readonly parent?: object }
}

interface Registry {
  has(schema: object): boolean
  get(schema: object): object | undefined
}

/** What zod says of a schema beside its definition: descriptions and other metadata, which it keeps for all its copies in a page. */
function metaOf(schema: object, { parent }: NonNullable<ZodLike["_zod"]>): object | undefined {
  const registry = (globalThis as { readonly __zod_globalRegistry?: Registry }).__zod_globalRegistry
  // To get it makes objects, also where there is nothing; most schemas have nothing.
  const mayHave = registry?.has(schema) || (parent && metaOf(parent, (parent as ZodLike)._zod ?? { def: {} }))
  return mayHave ? registry?.get(schema) : undefined
}

/** Beyond it a schema is converted after all; a recursive one has no end. */
const MAX_VALUES = 500

/** What of a definition of zod's is never published: messages, and the functions that only validate. Elsewhere these are keys as any other. */
const UNPUBLISHED: ReadonlySet<string> = new Set(["error", "abort", "when", "fn"])

const NONE: ReadonlySet<string> = new Set()

/**
 * `true` only where it is certain. Of other libraries than zod, and where a part could be published differently (a function, a
 * regular expression with state, a class of its own), two objects are only the same when they are one.
 */
export function sameSchema(one: unknown, other: unknown): boolean {
  return one === other || same(one, other, { left: MAX_VALUES })
}

/**
 * What two schemas that are the same have in common, as a text: those that differ are mostly told apart by it, at a tenth of what comparing them
 * costs. Empty where nothing is known.
 */
export function outlineOf(schema: object): string {
  const { shape } = ((schema as ZodLike)._zod?.def ?? {}) as { readonly shape?: object }
  return shape ? Object.keys(shape).join() : ""
}

/** How many values may still be compared. */
interface Budget {
  left: number
}

// No closures: it runs for each tool of each render.

/** In one order, too: models write the properties in the order in which they are published. */
function sameParts(a: object, b: object, passedOver: ReadonlySet<string>, budget: Budget): boolean {
  const keys = Object.keys(a)
  const others = Object.keys(b)
  if (keys.length !== others.length) return false
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string
    if (key !== others[index] || !(passedOver.has(key) || same(a[key as never], b[key as never], budget))) return false
  }
  return true
}

function same(a: unknown, b: unknown, budget: Budget): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== "object" || typeof b !== "object" || !a || !b || --budget.left < 0) return false
  const { _zod: zod } = a as ZodLike
  const { _zod: otherZod } = b as ZodLike
  if (zod && otherZod) {
    return !zod.toJSONSchema && !otherZod.toJSONSchema && same(metaOf(a, zod), metaOf(b, otherZod), budget) && sameParts(zod.def, otherZod.def, UNPUBLISHED, budget)
  }
  if (a instanceof RegExp) return b instanceof RegExp && String(a) === String(b)
  const prototype: unknown = Object.getPrototypeOf(a)
  return prototype === Object.getPrototypeOf(b) && (prototype === Object.prototype || Array.isArray(a)) && sameParts(a, b, NONE, budget)
}
