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
 */
export function copyJson(value: unknown): JsonCopy {
  const path: (string | number)[] = []
  const above: unknown[] = []

  const copyAt = (value: unknown, key: string | number): unknown => {
    path.push(key)
    const copied = copy(value, String(key))
    path.pop()
    return copied
  }

  const copy = (value: unknown, key: string): unknown => {
    if (value && (typeof value === "object" || typeof value === "bigint")) {
      const { toJSON } = value as { toJSON?: unknown }
      if (typeof toJSON === "function") value = toJSON.call(value, key)
    }
    if (typeof value === "number") return Number.isFinite(value) ? value : null
    if (value == null || typeof value === "string" || typeof value === "boolean") return value
    if (typeof value !== "object") throw new Error(`a ${typeof value} is not JSON`)
    if (above.includes(value)) throw new Error("it contains itself")
    if (above.length >= MAX_JSON_DEPTH) throw new Error("it is nested too deeply")
    above.push(value)
    let copied: object
    if (Array.isArray(value)) {
      copied = Array.from(value, (item: unknown, index) => copyAt(item, index) ?? null)
    } else {
      const kind = Object.prototype.toString.call(value).slice(8, -1)
      if (kind !== "Object") throw new Error(`${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind} is not JSON`)
      copied = Object.fromEntries(
        Object.keys(value)
          .map((name) => [name, copyAt((value as Record<string, unknown>)[name], name)] as const)
          .filter((entry) => entry[1] !== undefined),
      )
    }
    above.pop()
    return Object.freeze(copied)
  }

  try {
    return { ok: true, value: copy(value, "") }
  } catch (thrown) {
    return { ok: false, path, reason: reasonOf(thrown) }
  }
}
