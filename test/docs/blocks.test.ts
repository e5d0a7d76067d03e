import { describe, expect, it } from "vitest"
import { blocksOf, documents } from "../../scripts/lib/docBlocks.mjs"
import { typeCheckBlocks } from "./typeCheckBlocks.ts"

describe("the code of the documents", () => {
  it("is found", () => {
    expect(documents()).toContain("README.md")
    expect(blocksOf("README.md").length).toBeGreaterThan(4)
  })

  it("has no type error", { timeout: 120_000 }, () => {
    expect(typeCheckBlocks()).toEqual([])
  })
})
