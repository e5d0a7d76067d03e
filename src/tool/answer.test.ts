import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { answerOf, answerOfThrown, checkOutput, errorAnswer, jsonValueOf, limitAnswer, NOTHING_RETURNED, toAnswer } from "./answer.ts"

describe("the answer of a value", () => {
  it("is the string as it is", () => {
    expect(answerOf("")).toEqual({ text: "", is_error: false })
    expect(answerOf("done")).toEqual({ text: "done", is_error: false })
  })

  it("is the answer as it is", () => {
    expect(answerOf({ text: "no", is_error: true })).toEqual({ text: "no", is_error: true })
    expect(answerOf({ text: "yes", is_error: false, more: 1 })).toEqual({ text: "yes", is_error: false })
  })

  it.each([{ text: "a" }, { is_error: true }, { text: 1, is_error: true }, { text: "a", is_error: "true" }, { text: "a", isError: true }])(
    "is JSON where it only resembles one: %j",
    (value) => {
      expect(answerOf(value)).toEqual({ text: JSON.stringify(value), is_error: false })
    },
  )

  it("is JSON text for any other JSON value, and comes back by parsing", () => {
    expect(answerOf(null)).toEqual({ text: "null", is_error: false })
    expect(answerOf(false)).toEqual({ text: "false", is_error: false })
    fc.assert(
      fc.property(fc.jsonValue().filter((value) => typeof value !== "string"), (value) => {
        const { text, is_error } = answerOf(value)
        expect(is_error).toBe(false)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it("still knows the value where JSON text was written of one, and is only a text where it was cut or was a text", () => {
    expect(jsonValueOf(answerOf({ forecast: "sunny" }))).toEqual({ forecast: "sunny" })
    expect(jsonValueOf(answerOf(null))).toBeNull()
    expect(jsonValueOf(answerOf('{"a":1}'))).toBe('{"a":1}')
    expect(jsonValueOf(answerOf(undefined))).toBe(NOTHING_RETURNED.text)
    expect(jsonValueOf(limitAnswer(answerOf(["long".repeat(100)]), 200))).toContain("bytes were cut out here")
  })

  it("is a sentence for undefined, always the same object", () => {
    expect(answerOf(undefined)).toBe(NOTHING_RETURNED)
    expect(answerOf({ toJSON: () => undefined })).toBe(NOTHING_RETURNED)
    expect(NOTHING_RETURNED).toEqual({ text: "The tool ran and returned nothing.", is_error: false })
  })

  it.each([
    [{ rows: [{ id: 1n }] }, "rows[0].id", "bigint"],
    [{ on: { click: () => 1 } }, "on.click", "function"],
    [{ by: new Map() }, "by", "Map"],
    [[new Set()], "[0]", "Set"],
    [1n, "its root", "bigint"],
    [Symbol("s"), "its root", "symbol"],
    [() => 1, "its root", "function"],
  ])("is an error that names the path of what JSON cannot say", (value, path, kind) => {
    expect(answerOf(value)).toEqual({
      text: `The tool ran, but its result is not JSON: ${path}: ${kind} is not JSON`,
      is_error: true,
    })
  })

  it("is an error for cycles, throwing getters and throwing toJSON", () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    expect(answerOf(cycle)).toEqual({ text: expect.stringContaining("self: it contains itself"), is_error: true })
    const getter = {
      get text(): string {
        throw new Error("not loaded")
      },
    }
    expect(answerOf(getter)).toEqual({ text: expect.stringContaining("text: not loaded"), is_error: true })
    const toJSON = (): never => {
      throw new Error("no JSON of me")
    }
    expect(answerOf({ a: { toJSON } })).toEqual({ text: expect.stringContaining("a: no JSON of me"), is_error: true })
  })

  it("is an error, short and no overflow, for a value nested 100,000 deep", () => {
    let deep: unknown = {}
    for (let count = 0; count < 100_000; count++) deep = { deep }
    const { text, is_error } = answerOf(deep)
    expect(is_error).toBe(true)
    expect(text).toContain("nested too deeply")
    expect(text.length).toBeLessThan(500)
  })

  it("holds no lone surrogates", () => {
    expect(answerOf("a\ud800b\udc00")).toEqual({ text: "a\ufffdb\ufffd", is_error: false })
    expect(answerOf("\u{1f600}")).toEqual({ text: "\u{1f600}", is_error: false })
    expect(answerOf({ text: "\udfff", is_error: true }).text).toBe("\ufffd")
    expect(errorAnswer("\ud800").text).toBe("\ufffd")
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        expect(answerOf([value, `${value}\ud800`]).text).not.toMatch(/\p{Surrogate}/u)
      }),
    )
  })
})

describe("the answer of what was thrown", () => {
  const hostile = {
    get message(): string {
      throw new Error("no")
    },
  }
  const circular: Record<string, unknown> = {}
  circular.cause = circular
  it.each([
    [new Error("out of stock"), "out of stock"],
    [new TypeError(""), "TypeError"],
    [new DOMException("The call was cancelled", "AbortError"), "The call was cancelled"],
    [new Error("fetch failed", { cause: new Error("ECONNREFUSED") }), "fetch failed: ECONNREFUSED"],
    [new Error("same", { cause: new Error("same") }), "same"],
    ["a string", "a string"],
    [404, "404"],
    [{ code: 5 }, '{"code":5}'],
    [{ message: { nested: true } }, "[object Object]"],
    [null, "no reason was given"],
    [undefined, "no reason was given"],
    [Symbol("s"), "Symbol(s)"],
    [1n, "1"],
    [hostile, "no reason was given"],
    [circular, "no reason was given"],
    [Object.create(null), "{}"],
  ])("says why in short: %#", (thrown, reason) => {
    expect(answerOfThrown(thrown)).toEqual({ text: `The tool failed: ${reason}`, is_error: true })
  })

  it("has no stack and is short", () => {
    const { text } = answerOfThrown(new Error("x".repeat(1e6)))
    expect(text.length).toBeLessThan(1_100)
    expect(answerOfThrown(new Error("a")).text).not.toContain("at ")
  })

  it("ends where causes go in a circle", () => {
    const error = new Error("a")
    error.cause = new Error("b", { cause: error })
    expect(answerOfThrown(error).text).toBe("The tool failed: a: b")
  })
})

describe("a result with an output schema", () => {
  const output = z.object({ total: z.number(), currency: z.string().default("EUR") })

  it("is the schema's output", async () => {
    expect(await toAnswer({ output }, { total: 1 })).toEqual({ text: '{"total":1,"currency":"EUR"}', is_error: false })
    expect(await checkOutput({ output }, { total: 1 })).toEqual({ ok: true, value: { total: 1, currency: "EUR" } })
    expect(await toAnswer({ output: z.string() }, "plain")).toEqual({ text: "plain", is_error: false })
  })

  it("is an error that lists the issues where it is not what was promised", async () => {
    expect(await toAnswer({ output }, { total: "1", currency: 5 })).toEqual({
      text: [
        "The tool ran, but its result is not what it promises:",
        "- total: Invalid input: expected number, received string",
        "- currency: Invalid input: expected string, received number",
      ].join("\n"),
      is_error: true,
    })
    expect((await toAnswer({ output }, undefined)).text).toContain("- the result: ")
    expect((await toAnswer({ output }, { text: "ok", is_error: false })).is_error).toBe(true)
  })

  it("may be a failure instead", async () => {
    expect(await toAnswer({ output }, { text: "sold out", is_error: true })).toEqual({ text: "sold out", is_error: true })
  })

  it("is an error where the schema throws", async () => {
    const schema = z.object({}).refine(() => { throw new Error("the check broke") })
    expect(await toAnswer({ output: schema }, {})).toEqual({ text: expect.stringContaining("the check broke"), is_error: true })
  })

  it("is not checked without one", async () => {
    expect(await toAnswer({}, { total: "1" })).toEqual({ text: '{"total":"1"}', is_error: false })
  })
})
