import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { copyJson, MAX_JSON_DEPTH } from "./copyJson.ts"

/** An array in an array, `depth` deep. */
const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let count = 0; count < depth; count++) value = [value]
  return value
}

describe("a copy", () => {
  it("says what JSON.stringify says of anything that is JSON, or nearly", () => {
    const anything = fc.anything({ withDate: false, withNullPrototype: true, withObjectString: false, values: [fc.jsonValue(), fc.double(), fc.date(), fc.constant(undefined)] })
    fc.assert(
      fc.property(anything, (value) => {
        const copy = copyJson(value)
        expect(copy.ok && JSON.stringify(copy.value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it("has null for what is no JSON number, and nothing for undefined", () => {
    expect(copyJson({ a: [NaN, -Infinity, undefined], b: undefined })).toStrictEqual({ ok: true, value: { a: [null, null, null] } })
  })

  it("holds a key __proto__ as a key", () => {
    const copy = copyJson(JSON.parse('{"__proto__":{"admin":true},"constructor":1}'))
    expect(copy.ok && Object.keys(copy.value as object)).toEqual(["__proto__", "constructor"])
    expect(copy.ok && Object.getPrototypeOf(copy.value)).toBe(Object.prototype)
    expect({}).not.toHaveProperty("admin")
  })

  it("asks toJSON, also that of a bigint that was given one", () => {
    expect(copyJson({ at: new Date(0), url: new URL("http://a/"), key: { toJSON: (key: string) => key } })).toEqual({
      ok: true,
      value: { at: "1970-01-01T00:00:00.000Z", url: "http://a/", key: "key" },
    })
    Object.defineProperty(BigInt.prototype, "toJSON", { configurable: true, value(this: bigint) { return `${this}` } })
    try {
      expect(copyJson([1n])).toEqual({ ok: true, value: ["1"] })
    } finally {
      delete (BigInt.prototype as { toJSON?: unknown }).toJSON
    }
  })

  it("may hold one object twice, but not within itself", () => {
    const shared = { a: 1 }
    expect(copyJson([shared, { shared }])).toMatchObject({ ok: true })
    const cycle: Record<string, unknown> = { list: [1] }
    ;(cycle.list as unknown[]).push({ back: cycle })
    expect(copyJson(cycle)).toMatchObject({ ok: false, path: ["list", 1, "back"], reason: expect.stringContaining("itself") })
  })

  it.each([
    [1n, "bigint"],
    [() => 1, "function"],
    [Symbol("s"), "symbol"],
    [new Map(), "Map"],
    [new Set(), "Set"],
    [Promise.resolve(), "Promise"],
    [new Error("no"), "Error"],
    [new Uint8Array(2), "Uint8Array"],
    [/x/, "RegExp"],
    [new (class extends Map {})(), "Map"],
  ])("fails with the path of %s", (value, kind) => {
    expect(copyJson({ rows: [0, { it: value }] })).toEqual({ ok: false, path: ["rows", 1, "it"], reason: `${kind} is not JSON` })
    expect(copyJson(value)).toEqual({ ok: false, path: [], reason: `${kind} is not JSON` })
  })

  it("fails with the path of what throws", () => {
    const throwing = {
      get name(): string {
        throw new Error("no name yet")
      },
    }
    expect(copyJson({ user: throwing })).toEqual({ ok: false, path: ["user", "name"], reason: "no name yet" })
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(copyJson([proxy])).toMatchObject({ ok: false, path: [0] })
  })

  it("takes class instances by their properties", () => {
    class Point {
      x = 1
      get double(): number {
        return 2
      }
    }
    expect(copyJson(new Point())).toEqual({ ok: true, value: { x: 1 } })
  })

  it("goes as deep as any reader does, and no deeper", () => {
    expect(copyJson(nested(MAX_JSON_DEPTH))).toMatchObject({ ok: true })
    expect(copyJson(nested(MAX_JSON_DEPTH + 1))).toMatchObject({ ok: false, reason: "it is nested too deeply" })
    expect(copyJson(nested(100_000))).toMatchObject({ ok: false })
  })

  it("is frozen in depth", () => {
    const copy = copyJson({ a: [{ b: 1 }] })
    const { a } = copy.ok ? (copy.value as { a: object[] }) : { a: [] }
    expect([a, a[0]].every(Object.isFrozen)).toBe(true)
  })
})
