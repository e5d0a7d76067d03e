import { reasonOf } from "./reason.ts"

/** How deep a value may be nested: far below what overflows a stack, far above what a model reads. */
export const MAX_JSON_DEPTH = 1_000

/** A value as JSON says it, or where and why JSON cannot say it. */
export type JsonCopy =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly path: readonly (string | number)[]; readonly reason: string }

/** JSON Schema that a library wrote is no schema object, though zod hides the standard face in it. */
const isSchema = (value: unknown): boolean =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  "~standard" in value &&
  (Object.getPrototypeOf(value) !== Object.prototype || Object.prototype.propertyIsEnumerable.call(value, "~standard")) &&
  typeof (value["~standard"] as { validate?: unknown } | null)?.validate === "function"

/** A value that holds no others. What most of a JSON Schema is made of, so it is told first. */
const isLeaf = (value: unknown): boolean => value == null || typeof value === "string" || typeof value === "boolean" || typeof value === "number"

const leafOf = (value: unknown): unknown => (typeof value === "number" && !Number.isFinite(value) ? null : value)

/** What `Object.prototype.toString` says, which is asked only where the prototype does not tell. */
function kindOf(value: unknown): string {
  if (typeof value !== "object") return typeof value
  if (Array.isArray(value)) return "Array"
  return Object.getPrototypeOf(value) === Object.prototype ? "Object" : Object.prototype.toString.call(value).slice(8, -1)
}

/**
 * Copies a value as `JSON.stringify` would see it, frozen in depth: `toJSON` is asked, properties that are `undefined` are left
 * out, `NaN` and the infinities become `null`. Where `JSON.stringify` would silently lose the value, or throw, the copy fails and
 * says where: bigints, functions, symbols, cycles, what is no plain object (`Map`, `Set`, `Promise`, `Error`, an element of the
 * page), a getter that throws. A key called `__proto__` is a key like any other. Nothing of the value is changed.
 *
 * @param refuse - Asked of each object after all that it holds; what it returns is the reason not to copy it.
 */
export function copyJson(value: unknown, refuse?: (object: object) => string | undefined): JsonCopy {
  const path: (string | number)[] = []
  const above: object[] = []

  /** Where it throws, `path` is left as it stands. */
  const copyAt = (holder: object, key: string | number): unknown => {
    path.push(key)
    const copied = copy((holder as Record<string | number, unknown>)[key], key)
    path.pop()
    return copied
  }

  const copyItems = (items: readonly unknown[]): unknown[] => {
    const copied: unknown[] = []
    for (let index = 0; index < items.length; index++) copied.push(copyAt(items, index) ?? null)
    return copied
  }

  const copyMembers = (object: object): object => {
    const copied: Record<string, unknown> = {}
    for (const name of Object.keys(object)) {
      const member = copyAt(object, name)
      if (member === undefined) continue
      // Assigned, it would be the copy's prototype.
      if (name === "__proto__") Object.defineProperty(copied, name, { value: member, enumerable: true })
      else copied[name] = member
    }
    return copied
  }

  const copy = (value: unknown, key: string | number): unknown => {
    if (isLeaf(value)) return leafOf(value)
    // Some write themselves by `toJSON`, but not as JSON Schema.
    if (isSchema(value)) throw new Error("a schema is not JSON")
    const { toJSON } = value as { toJSON?: unknown }
    if (typeof toJSON === "function") {
      value = toJSON.call(value, String(key)) as unknown
      if (isLeaf(value)) return leafOf(value)
    }
    const kind = kindOf(value)
    if (kind !== "Object" && kind !== "Array") throw new Error(`${kind} is not JSON`)
    const object = value as object
    if (above.includes(object)) throw new Error("it contains itself")
    if (above.length >= MAX_JSON_DEPTH) throw new Error("it is nested too deeply")
    above.push(object)
    const copied = kind === "Array" ? copyItems(object as unknown[]) : copyMembers(object)
    above.pop()
    const refusal = refuse?.(object)
    if (refusal) throw new Error(refusal)
    return Object.freeze(copied)
  }

  try {
    return { ok: true, value: copy(value, "") }
  } catch (thrown) {
    return { ok: false, path, reason: reasonOf(thrown) }
  }
}
