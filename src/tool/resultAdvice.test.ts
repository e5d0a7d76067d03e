import { createElement } from "react"
import { describe, expect, it } from "vitest"
import { answerOf } from "./answer.ts"
import { resultAdvice } from "./resultAdvice.ts"

const cycle: { self?: unknown } = {}
cycle.self = cycle

describe("the advice on a result that JSON cannot say", () => {
  it.each<[what: string, returned: unknown, advice: string]>([
    ["JSX", createElement("p"), "not JSX"],
    ["a map", { m: new Map() }, "[...map]"],
    ["a set", [new Set()], "[...set]"],
    ["a bigint", 5n, "String(value)"],
    ["a function", () => 1, "leave it out"],
    ["an error", { e: new Error("no") }, "throw it"],
    ["a cycle", cycle, "only the parts"],
  ])("of %s says what to return", (_what, returned, advice) => {
    const said = resultAdvice("list", returned, answerOf(returned).text)
    expect(said).toContain('"list"')
    expect(said).toContain(advice)
  })

  it("of anything else says what is wrong, and of an answer of the tool's own nothing", () => {
    expect(resultAdvice("list", new WeakMap(), answerOf(new WeakMap()).text)).toMatch(/WeakMap is not JSON$/)
    expect(resultAdvice("list", { text: "Map is not JSON", is_error: true }, "Map is not JSON")).toBe(false)
  })
})
