import { expect, test } from "vitest"
import { randomId } from "./randomId.ts"

test("Ids are 128 bits as hexadecimal characters, and no two are alike.", () => {
  const ids = Array.from({ length: 1_000 }, randomId)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(ids).size).toBe(ids.length)
})
