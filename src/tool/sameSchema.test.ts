import { type } from "arktype"
import * as fc from "fast-check"
import * as v from "valibot"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import * as mini from "zod/mini"
import { parametersOf } from "./parameters.ts"
import { outlineOf, sameSchema } from "./sameSchema.ts"

const json = (schema: z.ZodType): string => JSON.stringify(parametersOf({ schema }))

describe("sameSchema", () => {
  it.each<[string, () => z.ZodType]>([
    ["an object of strings and defaults", () => z.object({ title: z.string().min(1).max(9), done: z.boolean().default(false) })],
    ["enums, literals, unions, records and arrays", () => z.object({ a: z.enum(["x", "y"]), b: z.literal(3), c: z.union([z.string(), z.null()]), d: z.record(z.string(), z.number()), e: z.array(z.int()) })],
    ["nested objects, optional and nullable", () => z.object({ a: z.object({ b: z.string().optional() }).nullable() })],
    ["formats and patterns", () => z.object({ mail: z.email(), code: z.string().regex(/^a+$/i), at: z.iso.datetime() })],
    ["descriptions and other metadata", () => z.object({ a: z.string().describe("One.").meta({ examples: ["x"] }) }).describe("All.")],
    ["messages of its own", () => z.object({ a: z.string("No.").min(1, { error: () => "Too short." }) })],
    ["a refinement, which nobody publishes", () => z.object({ a: z.string() }).refine((value) => value.a !== "")],
    ["strict and loose objects", () => z.object({ a: z.strictObject({}), b: z.looseObject({}) })],
  ])("holds for two of %s", (_, make) => {
    expect(sameSchema(make(), make())).toBe(true)
    expect(json(make())).toBe(json(make()))
  })

  it.each<[string, z.ZodType, z.ZodType]>([
    ["a bound", z.string().min(1), z.string().min(2)],
    ["an additional check", z.string(), z.string().min(1)],
    ["a description", z.string().describe("One."), z.string().describe("Two.")],
    ["a description that is missing", z.string().describe("One."), z.string()],
    ["a key", z.object({ a: z.string() }), z.object({ b: z.string() })],
    ["an additional key", z.object({ a: z.string() }), z.object({ a: z.string(), b: z.string() })],
    ["the description of a key", z.object({ a: z.string().describe("One.") }), z.object({ a: z.string().describe("Two.") })],
    ["what is optional", z.object({ a: z.string() }), z.object({ a: z.string().optional() })],
    ["a default", z.string().default("a"), z.string().default("b")],
    ["a pattern's flags", z.string().regex(/a/), z.string().regex(/a/i)],
    ["an enum's values", z.enum(["a", "b"]), z.enum(["a", "c"])],
    ["what is strict", z.object({}), z.strictObject({})],
    ["the order of a tuple", z.tuple([z.string(), z.number()]), z.tuple([z.number(), z.string()])],
    ["a type", z.string(), z.number()],
    ["the order of keys, in which a model writes them", z.object({ a: z.string(), b: z.string() }), z.object({ b: z.string(), a: z.string() })],
    ...["error", "abort", "when", "fn"].flatMap((key): [string, z.ZodType, z.ZodType][] => [
      [`a key called ${key}`, z.object({ [key]: z.string() }), z.object({ [key]: z.number() })],
      [`a value called ${key}`, z.enum({ [key]: "a" }), z.enum({ [key]: "b" })],
      [`an example called ${key}`, z.any().meta({ examples: [{ [key]: 1 }] }), z.any().meta({ examples: [{ [key]: 2 }] })],
    ]),
  ])("fails for %s", (_, one, other) => {
    expect(sameSchema(one, other)).toBe(false)
    expect(sameSchema(z.object({ part: one }), z.object({ part: other }))).toBe(false)
  })

  it("is certain of zod's mini edition too, and of its registry", () => {
    const make = (title: string) => mini.object({ a: mini.string().check(mini.minLength(1)) }).register(mini.globalRegistry, { title })
    expect(sameSchema(make("One"), make("One"))).toBe(true)
    expect(sameSchema(make("One"), make("Two"))).toBe(false)
  })

  it("leaves what it cannot be certain of to the conversion", () => {
    const lazy = () => z.object({ next: z.lazy(() => z.string()) })
    expect(sameSchema(lazy(), lazy())).toBe(false)
    const overridden = () => Object.assign(z.string(), {})
    const [one, other] = [overridden(), overridden()]
    one._zod.toJSONSchema = () => ({ type: "string", format: "one" })
    expect(sameSchema(one, other)).toBe(false)
    expect(sameSchema(v.object({ a: v.string() }), v.object({ a: v.string() }))).toBe(false)
    expect(sameSchema(type({ a: "string" }), type({ a: "number" }))).toBe(false)
    expect(sameSchema({ type: "object", at: new Date(0) }, { type: "object", at: new Date(0) })).toBe(false)
  })

  it("ends on recursive schemas", () => {
    const make = () => {
      const node: z.ZodType = z.object({
        get one() {
          return node.optional()
        },
        get other() {
          return node.optional()
        },
      })
      return node
    }
    expect(sameSchema(make(), make())).toBe(false)
  })

  it("tells two JSON Schemas written by hand apart by what they say", () => {
    const make = (minimum: number) => ({ type: "object", properties: { a: { type: "number", minimum } } })
    expect(sameSchema(make(1), make(1))).toBe(true)
    expect(sameSchema(make(1), make(2))).toBe(false)
    const named = (type: string) => ({ type: "object", properties: { when: { type }, error: { type } } })
    expect(sameSchema(named("string"), named("string"))).toBe(true)
    expect(sameSchema(named("string"), named("number"))).toBe(false)
  })

  it("is asked only of schemas of one outline: an object's properties, in their order", () => {
    expect(outlineOf(z.object({ a: z.string(), b: z.string() }))).toBe("a,b")
    expect(outlineOf(z.object({ b: z.string(), a: z.string() }))).toBe("b,a")
    expect([z.string(), v.object({ a: v.string() }), { type: "object" }].map(outlineOf)).toEqual(["", "", ""])
  })

  it("never calls two schemas the same that are published differently", () => {
    const { schema } = fc.letrec<{ schema: () => z.ZodType }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.constantFrom<() => z.ZodType>(z.string, z.number, z.boolean, z.null, z.int, z.email),
        fc.nat(2).map((min) => () => z.string().min(min)),
        fc.constantFrom("a", "b").map((value) => () => z.literal(value)),
        fc.tuple(tie("schema"), fc.constantFrom("One.", "Two.")).map(([make, text]) => () => make().describe(text)),
        fc.tuple(tie("schema"), fc.constantFrom("optional", "nullable", "array")).map(([make, method]) => () => make()[method as "optional"]()),
        fc.array(tie("schema"), { minLength: 2, maxLength: 2 }).map((makes) => () => z.union(makes.map((make) => make()))),
        fc.dictionary(fc.constantFrom("a", "when", "error"), tie("schema")).map((shape) => () => z.object(Object.fromEntries(Object.entries(shape).map(([key, make]) => [key, make()])))),
      ),
    }))
    const published = (make: () => z.ZodType) => json(z.object({ part: make() }))
    fc.assert(
      fc.property(schema, schema, (one, other) => {
        expect(sameSchema(one(), one())).toBe(true)
        expect(outlineOf(one())).toBe(outlineOf(one()))
        if (!sameSchema(one(), other())) return
        expect(published(one)).toBe(published(other))
        expect(outlineOf(one())).toBe(outlineOf(other()))
      }),
      { numRuns: 500 },
    )
  })
})
