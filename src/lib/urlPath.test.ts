import { expect, it } from "vitest"
import { urlPath } from "./urlPath.ts"

it.each([
  ["", ""],
  ["/agents", "/agents"],
  ["/größe", "/gr%C3%B6%C3%9Fe"],
  ["/gr%C3%B6%C3%9Fe", "/gr%C3%B6%C3%9Fe"],
  ["/a b/日本", "/a%20b/%E6%97%A5%E6%9C%AC"],
  ["//twice", "//twice"],
])("The path %j is %j on the wire.", (path, written) => {
  expect(urlPath(path)).toBe(written)
})
