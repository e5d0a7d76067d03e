import { reasonOf } from "./reason.ts"

/** How deep a value may be nested: far below what overflows a stack, far above what a model reads. */
export const MAX_JSON_DEPTH = 1_000

/** A value as JSON says it, or where and why JSON cannot say it. */
export type JsonCopy =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly path: readonly (string | number)[]; readonly reason: string }

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

  const copy = (value: unknown, key: string | number): unknown => {
    const { toJSON } = (value ?? {}) as { toJSON?: unknown }
    if (typeof toJSON === "function" && typeof value !== "string") value = toJSON.call(value, String(key)) as unknown
    if (typeof value === "number") return Number.isFinite(value) ? value : null
    if (value == null || typeof value === "string" || typeof value === "boolean") return value
    const kind = typeof value === "object" ? Object.prototype.toString.call(value).slice(8, -1) : typeof value
    if (!/^(Object|Array)$/.test(kind)) throw new Error(`${kind} is not JSON`)
    const object = value
    if (above.includes(object)) throw new Error("it contains itself")
    if (above.length >= MAX_JSON_DEPTH) throw new Error("it is nested too deeply")
    above.push(object)
    const copied = Array.isArray(object)
      ? Array.from(object, (_, index) => copyAt(object, index) ?? null)
      : Object.fromEntries(Object.keys(object).map((name) => [name, copyAt(object, name)] as const).filter((entry) => entry[1] !== undefined))
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
