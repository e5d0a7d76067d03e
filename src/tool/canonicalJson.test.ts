import fc from "fast-check"
import { expect, it } from "vitest"
import { canonicalJson } from "./canonicalJson.ts"

/** The same value with the keys of each object the other way round. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).reverse().map(([key, inner]) => [key, reversed(inner)]))
}

it("does not depend on the order of keys", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
    }),
  )
})

it("is JSON of the same value", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

it("is equal for equal values only", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      let same = true
      try {
        expect(JSON.parse(JSON.stringify(one))).toEqual(JSON.parse(JSON.stringify(other)))
      } catch {
        same = false
      }
      expect(canonicalJson(one) === canonicalJson(other)).toBe(same)
    }),
  )
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]))
})

it("takes an undefined property for an absent one", () => {
  expect(canonicalJson({ a: 1, b: undefined })).toBe(canonicalJson({ a: 1 }))
})

it("knows a key __proto__", () => {
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":2}'))).toBe('{"__proto__":2,"b":1}')
})
