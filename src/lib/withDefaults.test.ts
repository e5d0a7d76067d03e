import { expect, test } from "vitest"
import { withDefaults } from "./withDefaults.ts"

test("What is undefined is not given, and what is null, 0 or empty is.", () => {
  const defaults: Readonly<Record<"a" | "b" | "c" | "d", number | string | null>> = { a: 1, b: 2, c: 3, d: 4 }
  expect(withDefaults(defaults, { a: undefined, b: 0, c: "", d: null })).toEqual({ a: 1, b: 0, c: "", d: null })
  expect(withDefaults(defaults, undefined)).toEqual(defaults)
})
