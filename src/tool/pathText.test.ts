import { expect, it } from "vitest"
import { pathText } from "./pathText.ts"

it.each([
  [["items", 2, "qty"], "items[2].qty"],
  [[0], "[0]"],
  [["first name", "a-b"], '["first name"]["a-b"]'],
  [["list", "[]", "*", "when"], "list[][*].when"],
  [["2"], '["2"]'],
  [[""], '[""]'],
  [[Symbol("s")], "[Symbol(s)]"],
  [["__proto__"], "__proto__"],
  [[], ""],
])("writes %j as %s", (path, text) => {
  expect(pathText(path)).toBe(text)
})

it("stays short", () => {
  expect(pathText(Array.from({ length: 1e5 }, () => "deep")).length).toBeLessThan(210)
})
