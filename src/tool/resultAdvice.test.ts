import { createElement } from "react"
import { describe, expect, it } from "vitest"
import { answerOf } from "./answer.ts"
import { lostNumberAdvice, resultAdvice } from "./resultAdvice.ts"

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

describe("the advice on a number that JSON has no word for", () => {
  it.each<[returned: unknown, said: string]>([
    [NaN, "NaN (at its root)"],
    [{ items: [{ price: 1 }, { price: -Infinity }] }, "-Infinity (at items[1].price)"],
    [{ cycle, "first name": Infinity }, 'Infinity (at ["first name"])'],
  ])("of %j says which, and where", (returned, said) => {
    expect(lostNumberAdvice("list", returned)).toContain(`the tool "list" returned ${said}, and the model gets null`)
  })

  it("is none of what JSON can say, and asks nobody for their JSON again", () => {
    expect(lostNumberAdvice("list", { a: [1, "NaN", null, undefined], b: new Date(0) })).toBe(false)
    const toJSON = (): never => {
      throw new Error("asked")
    }
    expect(lostNumberAdvice("list", { toJSON, a: NaN })).toBe(false)
  })
})
