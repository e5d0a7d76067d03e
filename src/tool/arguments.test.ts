import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import fc from "fast-check"
import * as v from "valibot"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { readArguments } from "./arguments.ts"
import { ISSUES_LISTED } from "./issues.ts"
import type { AnyTool } from "./tool.ts"

const description = "Add an item."
const parameters = { type: "object" }
const execute = (): string => ""

const read = (definition: object, args: unknown) => readArguments({ description, execute, ...definition } as unknown as AnyTool, "add", args)

const refusal = async (definition: object, args: unknown): Promise<string> => {
  const result = await read(definition, args)
  if (result.ok) throw new Error("they were accepted")
  return result.text
}

/** The lines of the issues, without the sentences around them. */
const issues = async (definition: object, args: unknown): Promise<string[]> => (await refusal(definition, args)).split("\n").slice(1, -1)

describe("arguments that a schema accepts", () => {
  it("are the schema's output", async () => {
    const input = { n: "5" }
    const output = { n: 5, unit: "kg" }
    const zod = z.object({ n: z.string().transform(Number), unit: z.string().default("kg") })
    expect(await read({ schema: zod }, input)).toEqual({ ok: true, value: output })
    const valibot = v.object({ n: v.pipe(v.string(), v.transform(Number)), unit: v.optional(v.string(), "kg") })
    expect(await read({ schema: toStandardJsonSchema(valibot) }, input)).toEqual({ ok: true, value: output })
    const arktype = type({ n: "string.numeric.parse", unit: "string = 'kg'" })
    expect(await read({ schema: arktype }, input)).toEqual({ ok: true, value: output })
    expect(input).toEqual({ n: "5" })
  })

  it("may be validated later", async () => {
    const schema = z.object({ name: z.string().refine(async (name) => name !== "taken", "the name is taken") })
    expect(await read({ schema }, { name: "free" })).toEqual({ ok: true, value: { name: "free" } })
    expect(await issues({ schema }, { name: "taken" })).toEqual(["- name: the name is taken"])
  })
})

describe("a refusal", () => {
  const wrong = { items: [{ qty: 1 }, {}, { qty: "3" }], "first name": 5 }

  it("lists every issue of a zod schema under its path, and asks to call again", async () => {
    const schema = z.object({ items: z.array(z.object({ qty: z.number() })), "first name": z.string() })
    expect(await refusal({ schema }, wrong)).toBe(
      [
        '"add" did not run, its arguments were refused:',
        "- items[1].qty: Invalid input: expected number, received undefined",
        "- items[2].qty: Invalid input: expected number, received string",
        '- ["first name"]: Invalid input: expected string, received number',
        "Correct them and call the tool again.",
      ].join("\n"),
    )
  })

  it("lists every issue of a valibot schema under its path", async () => {
    const schema = v.object({ items: v.array(v.object({ qty: v.number() })), "first name": v.string() })
    expect(await issues({ schema, parameters }, wrong)).toEqual([
      '- items[1].qty: Invalid key: Expected "qty" but received undefined',
      '- items[2].qty: Invalid type: Expected number but received "3"',
      '- ["first name"]: Invalid type: Expected string but received 5',
    ])
  })

  it("lists every issue of an arktype under its path", async () => {
    const schema = type({ items: type({ qty: "number" }).array(), "first name": "string" })
    const lines = await issues({ schema }, wrong)
    expect(lines).toHaveLength(3)
    expect(lines).toContainEqual(expect.stringMatching(/^- items\[1\]\.qty: .*must be a number \(was missing\)$/))
    expect(lines).toContainEqual(expect.stringMatching(/^- \["first name"\]: .*must be a string \(was a number\)$/))
  })

  it.each([
    ["zod", { schema: z.object({}) }],
    ["valibot", { schema: v.object({}), parameters }],
    ["arktype", { schema: type({}) }],
  ])("calls the root the arguments: %s", async (_, definition) => {
    expect(await issues(definition, "x")).toEqual([expect.stringMatching(/^- the arguments: /)])
  })

  it("says of a union what each member wanted", async () => {
    const schema = z.object({ to: z.union([z.string(), z.object({ id: z.number() })]) })
    expect(await issues({ schema }, { to: { id: "1" } })).toEqual([
      "- to: Invalid input (Invalid input: expected string, received object; or id Invalid input: expected number, received string)",
    ])
  })

  it("keeps to one line an issue, whatever a message or a key holds", async () => {
    const schema = z.record(z.string(), z.string().min(5, "too\nshort\n- password: ok"))
    expect(await issues({ schema }, { "a\n- b": "x" })).toEqual(['- ["a\\n- b"]: too short - password: ok'])
  })

  it("is bounded however many and long the issues are", async () => {
    const schema = z.array(z.string().min(5, "m".repeat(10_000)))
    const lines = await issues({ schema }, Array.from({ length: 5_000 }, () => "x"))
    expect(lines).toHaveLength(ISSUES_LISTED + 1)
    expect(lines.at(-1)).toBe(`- and ${5_000 - ISSUES_LISTED} more`)
    expect(lines.join("\n").length).toBeLessThan(ISSUES_LISTED * 600)
    const deep = z.record(z.string(), z.number())
    expect((await refusal({ schema: deep }, { ["k".repeat(1e6)]: "" })).length).toBeLessThan(1_000)
  })

  it("says why a schema threw", async () => {
    const schema = z.object({ a: z.string().transform(() => { throw new Error("no such user") }) })
    expect(await issues({ schema }, { a: "x" })).toEqual(["- the arguments: no such user"])
  })
})

describe("arguments of a tool with parse", () => {
  it("are what parse returns, or promises", async () => {
    expect(await read({ parameters, parse: (args: unknown) => [args] }, 1)).toEqual({ ok: true, value: [1] })
    expect(await read({ parameters, parse: async (args: unknown) => [args] }, 1)).toEqual({ ok: true, value: [1] })
  })

  it("are refused with the issues of the error that parse threw", async () => {
    const Zod = z.object({ a: z.object({ b: z.string() }) })
    expect(await issues({ parameters, parse: (args: unknown) => Zod.parse(args) }, { a: {} })).toEqual([
      "- a.b: Invalid input: expected string, received undefined",
    ])
    const Valibot = v.object({ a: v.object({ b: v.string() }), c: v.string() })
    expect(await issues({ parameters, parse: (args: unknown) => v.parse(Valibot, args) }, { a: {}, c: 1 })).toEqual([
      '- a.b: Invalid key: Expected "b" but received undefined',
      "- c: Invalid type: Expected string but received 1",
    ])
    const Ark = type({ a: "string" })
    expect(await issues({ parameters, parse: (args: unknown) => Ark.assert(args) }, {})).toEqual([
      "- the arguments: a must be a string (was missing)",
    ])
  })

  it.each([
    [new Error("qty is missing"), "qty is missing"],
    ["a string", "a string"],
    [null, "no reason was given"],
    [{ issues: [] }, '{"issues":[]}'],
  ])("are refused with the reason of whatever parse threw: %s", async (thrown, reason) => {
    const parse = (): never => {
      throw thrown
    }
    expect(await issues({ parameters, parse }, {})).toEqual([`- the arguments: ${reason}`])
    expect(await issues({ parameters, parse: async () => parse() }, {})).toEqual([`- the arguments: ${reason}`])
  })
})

describe("arguments that nothing validates", () => {
  it("are passed as they came", async () => {
    const args = { a: [1] }
    const result = await read({ parameters }, args)
    expect(result.ok && result.value).toBe(args)
  })
})

describe("a key __proto__ in the arguments", () => {
  it.each([
    ["zod", { schema: z.looseObject({ a: z.string() }) }],
    ["valibot", { schema: v.looseObject({ a: v.string() }), parameters }],
    ["arktype", { schema: type({ a: "string" }) }],
    ["raw", { parameters }],
  ])("is inert: %s", async (_, definition) => {
    const args: unknown = JSON.parse('{"a":"x","__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}')
    const result = await read(definition, args)
    expect(result.ok).toBe(true)
    expect(result.ok && (result.value as { isAdmin?: boolean }).isAdmin).toBe(undefined)
    expect(({} as { isAdmin?: boolean }).isAdmin).toBe(undefined)
  })

  it("is named like any other where it is wrong", async () => {
    const schema = z.record(z.string(), z.number())
    expect((await read({ schema }, JSON.parse('{"__proto__":{"x":1}}'))).ok).toBeTypeOf("boolean")
    expect({}).not.toHaveProperty("x")
  })
})

it("answers for any arguments whatever", async () => {
  const schema = z.object({ list: z.array(z.object({ n: z.number() })) })
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (args) => {
      const result = await read({ schema }, args)
      if (!result.ok) expect(result.text).toMatch(/^"add" did not run.*call the tool again\.$/s)
    }),
  )
})

describe("a union of arktype's", () => {
  it("is told once, though arktype carries its members beside its message", async () => {
    const lines = await issues({ schema: type({ u: "'a' | 'b'", n: "number" }) }, { u: "z", n: "x" })
    expect(lines).toEqual(["- n: n must be a number (was a string)", '- u: u must be "a" or "b" (was "z")'])
  })
})
