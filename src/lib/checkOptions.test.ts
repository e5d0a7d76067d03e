import { describe, expect, it } from "vitest"
import { aClock, aFunction, aText, aWholeNumber, anyOrListed, checkOptions } from "./checkOptions.ts"

interface Options {
  readonly url: string
  readonly key?: string
  readonly onError?: () => void
  readonly size?: number
}

const check = (given: unknown) => () =>
  checkOptions<Options>("makeIt", given, { url: { ...aText, isRequired: true }, key: { ...aText, isSecret: true }, onError: aFunction, size: aWholeNumber })

describe("options", () => {
  it.each([{ url: "a" }, { url: "a", key: "k", onError: () => {}, size: 1 }, { url: "a", onError: undefined, other: undefined }])("pass when they are right: %j", (given) => {
    expect(check(given)).not.toThrow()
  })

  it.each<[unknown, string]>([
    [null, "makeIt needs its options as an object, not null."],
    ["hunter2", "makeIt needs its options as an object, not a string."],
    [2, "makeIt needs its options as an object, not 2."],
    [[], "makeIt needs its options as an object, not []."],
    [() => {}, "makeIt needs its options as an object, not a function."],
    [undefined, "makeIt needs url: a non-empty string."],
    [{}, "makeIt needs url: a non-empty string."],
    [{ url: "" }, 'makeIt: url must be a non-empty string, not "".'],
    [{ url: null }, "makeIt: url must be a non-empty string, not null."],
    [{ url: "a", onError: "log" }, 'makeIt: onError must be a function, not "log".'],
    [{ url: "a", size: Number.NaN }, "makeIt: size must be a whole number above 0, not NaN."],
    [{ url: "a", sise: 1 }, 'makeIt: there is no option "sise". Known: url, key, onError, size.'],
    [{ url: "a", onEror: 1 }, 'makeIt: there is no option "onEror". Known: url, key, onError, size.'],
    [{ url: "a", onerror: 1 }, 'makeIt: there is no option "onerror". Did you mean "onError"?'],
    [{ url: "a", onErorr: 1 }, 'makeIt: there is no option "onErorr". Did you mean "onError"?'],
    [{ url: "a", constructor: 1 }, 'makeIt: there is no option "constructor". Known: url, key, onError, size.'],
  ])("are refused with what is wrong: %j", (given, message) => {
    expect(check(given)).toThrow(new TypeError(message))
  })

  it("that are secret are not shown", () => {
    expect(check({ url: "a", key: ["hunter2"] })).toThrow(new TypeError("makeIt: key must be a non-empty string."))
  })

  it("that are none are shown where none of them is secret", () => {
    expect(() => checkOptions<{ readonly size?: number }>("makeIt", "a", { size: aWholeNumber })).toThrow(new TypeError('makeIt needs its options as an object, not "a".'))
  })

  it("that JSON cannot say are shown by their type", () => {
    expect(check({ url: "a", size: 1n })).toThrow(new TypeError("makeIt: size must be a whole number above 0, not a value of the type bigint."))
  })

  it("that are long are cut where they are shown", () => {
    expect(check({ url: ["x".repeat(1000)] })).toThrow(/not \["x{78}…\.$/)
  })

  it("know a list from one entry of it, and a clock from a part of one", () => {
    expect([anyOrListed.admits("*"), anyOrListed.admits(["a"]), anyOrListed.admits("a"), anyOrListed.admits([1])]).toEqual([true, true, false, false])
    expect([aClock.admits({ now: () => 0 }), aClock.admits(Date)]).toEqual([false, false])
  })
})
