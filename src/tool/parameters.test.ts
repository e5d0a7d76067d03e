import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import fc from "fast-check"
import * as v from "valibot"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { z as zm } from "zod/mini"
import { z as z3 } from "zod/v3"
import { outputOf, parametersOf } from "./parameters.ts"
import type { AnyTool } from "./tool.ts"
import { ToolDefinitionError } from "./toolDefinitionError.ts"
import type { JsonSchema } from "./toolSpec.ts"

const refusalOf = (definition: object, read: (tool: AnyTool, name: string) => unknown = parametersOf): ToolDefinitionError => {
  try {
    read(definition as AnyTool, "add")
  } catch (error) {
    if (error instanceof ToolDefinitionError) return error
    throw error
  }
  throw new Error("it was accepted")
}

describe("the parameters of a schema", () => {
  const expected = {
    type: "object",
    properties: { qty: { type: "string" }, unit: { type: "string", default: "kg" } },
    required: ["qty"],
  }

  it("are what zod takes, not what it gives", () => {
    const schema = z.object({ qty: z.string().transform(Number), unit: z.string().default("kg") })
    expect(parametersOf({ schema })).toEqual(expected)
  })

  it("are what valibot takes, wrapped by its JSON Schema package", () => {
    const schema = v.object({ qty: v.pipe(v.string(), v.transform(Number)), unit: v.optional(v.string(), "kg") })
    expect(parametersOf({ schema: toStandardJsonSchema(schema) })).toEqual(expected)
  })

  it("are what arktype takes", () => {
    const schema = type({ qty: type("string").pipe(Number), unit: "string = 'kg'" })
    expect(parametersOf({ schema })).toEqual({ ...expected, properties: { qty: { type: "string" }, unit: { type: "string" } } })
  })

  it("name no dialect", () => {
    expect(parametersOf({ schema: z.object({}) })).not.toHaveProperty("$schema")
    expect(outputOf({ output: z.string() })).toEqual({ type: "string" })
  })

  it("are converted once for each schema object", () => {
    let conversions = 0
    const schema = {
      "~standard": {
        version: 1 as const,
        vendor: "ours",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => (conversions++, { type: "object" }), output: () => ({}) },
      },
    }
    expect(parametersOf({ schema })).toBe(parametersOf({ schema }))
    expect(conversions).toBe(1)
    expect(outputOf({ output: schema })).toEqual({})
  })

  it("of one tool are not another's, whatever a property is called", () => {
    for (const key of ["when", "error", "fn", "abort"]) {
      parametersOf({ schema: z.object({ [key]: z.string() }) })
      expect(parametersOf({ schema: z.object({ [key]: z.int() }) })).toMatchObject({ properties: { [key]: { type: "integer" } } })
    }
  })

  it("keep the order of their properties, in which a model writes them", () => {
    const keys = ({ properties }: JsonSchema) => Object.keys(properties as object)
    expect(keys(parametersOf({ schema: z.object({ why: z.string(), what: z.string() }) }))).toEqual(["why", "what"])
    expect(keys(parametersOf({ schema: z.object({ what: z.string(), why: z.string() }) }))).toEqual(["what", "why"])
  })

  it("that were changed in place since are not taken for those of another tool", () => {
    const properties: Record<string, unknown> = { a: { type: "string" } }
    expect(parametersOf({ parameters: { type: "object", properties } })).toEqual({ type: "object", properties: { a: { type: "string" } } })
    properties.b = { type: "string" }
    expect(Object.keys(parametersOf({ parameters: { type: "object", properties } }).properties as object)).toEqual(["a", "b"])
    const shared = parametersOf({ parameters: { type: "object", properties } })
    expect(parametersOf({ parameters: { type: "object", properties: { ...properties } } })).toBe(shared)
  })

  it("are shared by schemas that mean the same, such as those of a list's rows, also when they were written at different times", () => {
    const row = () => z.object({ title: z.string().min(1).describe("What the row says.") })
    const first = row()
    const shared = parametersOf({ schema: first })
    expect(parametersOf({ schema: row() })).toBe(shared)
    expect(parametersOf({ schema: row().extend({ done: z.boolean() }) })).not.toBe(shared)
    expect(parametersOf({ schema: row() })).toBe(shared)
    expect(parametersOf({ schema: z.object({ title: z.string().min(1).describe("Another.") }) })).not.toEqual(shared)
    // What a schema gives is another question than what it takes.
    const changing = () => z.object({ count: z.string().default("0") })
    expect(outputOf({ output: changing() })).not.toEqual(parametersOf({ schema: changing() }))
    expect(Object.isFrozen(shared)).toBe(true)
    expect(first).toBeDefined()
  })

  it("are asked for by draft-07 where a library refuses draft 2020-12", () => {
    const targets: string[] = []
    const input = ({ target }: { target: string }) => {
      targets.push(target)
      if (target !== "draft-07") throw new Error("unsupported")
      return { type: "object", properties: { a: {} } }
    }
    const schema = {
      "~standard": { version: 1 as const, vendor: "old", validate: (value: unknown) => ({ value }), jsonSchema: { input, output: input } },
    }
    expect(parametersOf({ schema })).toEqual({ type: "object", properties: { a: {} } })
    expect(targets).toEqual(["draft-2020-12", "draft-07"])
  })

  it("give way to parameters that stand beside it", () => {
    const parameters = { type: "object", properties: { by: { type: "string" } } }
    expect(parametersOf({ schema: z.object({ a: z.date() }), parameters })).toEqual(parameters)
    expect(parametersOf({ schema: v.object({ by: v.string() }), parameters })).toEqual(parameters)
  })

  it("leave out a check that valibot cannot write, but keep the type", () => {
    const schema = v.object({ a: v.pipe(v.string(), v.check((text) => text !== "no"), v.minLength(2)) })
    expect(parametersOf({ schema: toStandardJsonSchema(schema) })).toMatchObject({ properties: { a: { type: "string", minLength: 2 } } })
  })
})

describe("the root of the parameters", () => {
  it.each([{}, { type: "object" }, true])("is spoken out where anything is taken: %j", (parameters) => {
    expect(parametersOf({ parameters: parameters as never })).toEqual({ type: "object", properties: {} })
  })

  it("is spoken out for schemas that take anything", () => {
    expect(parametersOf({ schema: z.any() })).toEqual({ type: "object", properties: {} })
    expect(parametersOf({ schema: type("unknown") })).toEqual({ type: "object", properties: {} })
    expect(parametersOf({ schema: toStandardJsonSchema(v.unknown()) })).toEqual({ type: "object", properties: {} })
  })

  it("is an object when every case of a union is one", () => {
    const cases = [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b") })] as const
    expect(parametersOf({ schema: z.discriminatedUnion("k", cases) })).toMatchObject({ type: "object", oneOf: [{}, {}] })
    expect(parametersOf({ schema: type({ k: "'a'" }).or({ k: "'b'" }) })).toMatchObject({ type: "object", anyOf: [{}, {}] })
  })

  it("is an object when a case of its union refers to one", () => {
    const $defs = { a: { anyOf: [{ type: "object" }, { $ref: "#/$defs/b" }] }, b: { type: "object" }, c: { type: "string" } }
    expect(parametersOf({ parameters: { oneOf: [{ $ref: "#/$defs/a" }, { type: "object" }], $defs } })).toMatchObject({ type: "object" })
    expect(refusalOf({ parameters: { oneOf: [{ $ref: "#/$defs/c" }, { type: "object" }], $defs } }).code).toBe("root_not_object")
  })

  it("stands in the place of a reference to it", () => {
    const Node = z.object({ name: z.string(), get next() { return Node.nullable() } }).meta({ id: "Node" })
    for (const schema of [Node, type({ name: "string", "next?": "this" })]) {
      const parameters = parametersOf({ schema })
      expect(parameters).toMatchObject({ type: "object", properties: { name: { type: "string" } } })
      expect(parameters).not.toHaveProperty("$ref")
      expect(Object.keys(parameters.$defs as object)).toHaveLength(1)
    }
  })

  it.each([
    { schema: z.string() },
    { schema: z.array(z.string()) },
    { schema: z.literal("a") },
    { schema: z.never() },
    { schema: z.union([z.object({}), z.string()]) },
    { schema: z.object({}).nullable() },
    { schema: type("string") },
    { schema: type("'a' | 'b'") },
    { schema: toStandardJsonSchema(v.literal("a")) },
    { schema: toStandardJsonSchema(v.array(v.string())) },
    { parameters: { type: "array" } },
    { parameters: { type: ["object", "null"] } },
    { parameters: { enum: ["a"] } },
    { parameters: { $ref: "https://example.com/schema.json" } },
    { parameters: { $ref: "#/type", type: "object" } },
    { parameters: { $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }] } } } },
    { parameters: [] },
    { parameters: "object" },
    { parameters: false },
  ])("is refused where it is no object", (definition) => {
    expect(refusalOf(definition)).toMatchObject({ code: definition.parameters === false ? "no_parameters" : "root_not_object", tool: "add" })
  })

  it("is refused with the type that it has", () => {
    expect(refusalOf({ parameters: { type: "objekt" } }).message).toContain('must be of the type "object", not "objekt"')
    expect(refusalOf({ schema: z.string() }).message).toContain('not "string"')
  })
})

describe("a type that JSON Schema cannot say", () => {
  const List = [{ when: z.date() }] as const
  it.each([
    ["zod date", { schema: z.object({ n: z.number(), list: z.array(z.object(List[0])) }) }, ["list", "[]", "when"], /date/i],
    ["zod optional date", { schema: z.object({ at: z.date().optional() }) }, ["at"], /date/i],
    ["zod coerced date", { schema: z.object({ at: z.coerce.date() }) }, ["at"], /date/i],
    ["zod bigint in a tuple", { schema: z.object({ pair: z.tuple([z.string(), z.bigint()]) }) }, ["pair", 1], /bigint/i],
    ["zod map in a record", { schema: z.object({ by: z.record(z.string(), z.map(z.string(), z.string())) }) }, ["by", "*"], /map/i],
    ["zod date in a union", { schema: z.object({ at: z.union([z.string(), z.date()]) }) }, ["at"], /date/i],
    ["zod property called properties", { schema: z.object({ properties: z.object({ items: z.date() }) }) }, ["properties", "items"], /date/i],
    ["zod date at the root", { schema: z.date() }, [], /date/i],
    ["valibot date", { schema: toStandardJsonSchema(v.object({ list: v.array(v.object({ when: v.date() })) })) }, ["list", "[]", "when"], /date/i],
    ["valibot optional bigint", { schema: toStandardJsonSchema(v.object({ a: v.string(), id: v.optional(v.bigint()) })) }, ["id"], /bigint/i],
    ["arktype date", { schema: type({ list: type({ when: "Date" }).array() }) }, ["list", "[]", "when"], /date/i],
    ["arktype bigint", { schema: type({ "id?": "bigint" }) }, ["id"], /domain/i],
    ["arktype map", { schema: type({ by: "Map" }) }, ["by"], /proto/i],
    ["arktype undefined", { schema: type({ a: "string | undefined" }) }, ["a"], /unit/i],
  ] as const)("is refused with its path: %s", (_, definition, path, reason) => {
    const error = refusalOf(definition)
    expect(error).toMatchObject({ code: "unrepresentable", tool: "add", path })
    expect(error.message).toMatch(reason)
    expect(error.message).toContain('tool "add"')
  })

  it("is refused without a path where the library tells none", () => {
    const input = (): never => {
      throw new Error("a date? never heard of it")
    }
    const schema = {
      "~standard": { version: 1 as const, vendor: "mute", validate: (value: unknown) => ({ value }), jsonSchema: { input, output: input } },
    }
    expect(refusalOf({ schema })).toMatchObject({ code: "unrepresentable", path: [], message: expect.stringContaining("never heard of it") })
  })

  it("is refused without a path by a zod that takes no function for unrepresentable types", () => {
    const schema = z.object({ at: z.date() })
    const { jsonSchema } = schema["~standard"]
    const input: typeof jsonSchema.input = (options) =>
      jsonSchema.input({
        ...options,
        libraryOptions: { ...options.libraryOptions, unrepresentable: options.libraryOptions?.unrepresentable ? "any" : "throw" },
      })
    const older = { "~standard": { ...schema["~standard"], jsonSchema: { input, output: input } } }
    expect(refusalOf({ schema: older })).toMatchObject({ code: "unrepresentable", path: [], message: expect.stringMatching(/date/i) })
  })

  it("is refused in an output schema, by its output side", () => {
    expect(outputOf({ output: z.object({ at: z.string().default("x") }) })).toMatchObject({ required: ["at"] })
    const definition = { output: z.object({ rows: z.array(z.string().transform(Number)) }) }
    expect(refusalOf(definition, outputOf)).toMatchObject({ code: "unrepresentable", path: ["rows", "[]"] })
  })
})

describe("parameters that hold a schema", () => {
  it.each<[what: string, parameters: unknown, path: string[]]>([
    ["of zod", { title: z.string() }, ["title"]],
    ["of zod, deeper", { type: "object", properties: { title: z.string().optional() } }, ["properties", "title"]],
    ["of zod/mini", { title: zm.string() }, ["title"]],
    ["of valibot", { title: v.string() }, ["title"]],
    ["of arktype", { title: type("string") }, ["title"]],
    ["and are one", z.object({ title: z.string() }), []],
    ["and are one of valibot", toStandardJsonSchema(v.object({})), []],
  ])("%s are refused with where it goes", (_what, parameters, path) => {
    const error = refusalOf({ parameters })
    expect(error).toMatchObject({ code: "not_json", path: ["parameters", ...path] })
    expect(error.message).toContain("pass the whole as schema")
  })

  it("that a library wrote as JSON Schema are none, whatever it hides in them", () => {
    expect(parametersOf({ parameters: z.toJSONSchema(z.object({ title: z.string() })) })).toMatchObject({ properties: { title: { type: "string" } } })
    expect(parametersOf({ parameters: { properties: { "~standard": { validate: true } } } })).toMatchObject({ type: "object" })
  })
})

describe("a schema that cannot write itself as JSON Schema", () => {
  it.each([
    ["zod/mini", { schema: zm.object({}) }, /z\.toJSONSchema\(schema/],
    ["zod 3", { schema: z3.object({}) }, /it is zod 3: use zod 4, or give parameters/],
    ["bare valibot", { schema: v.object({}) }, /toStandardJsonSchema\(\) of @valibot\/to-json-schema/],
  ])("is refused with what to do: %s", (_, definition, remedy) => {
    const error = refusalOf(definition)
    expect(error).toMatchObject({ code: "schema_not_describable", tool: "add" })
    expect(error.message).toMatch(remedy)
    expect(error.message).toContain("parameters")
    expect(error.message.includes("z.toJSONSchema")).toBe("_zod" in definition.schema)
  })

  it("can do what the refusal says", () => {
    const schema = zm.object({ a: zm._default(zm.string(), "x") })
    expect(parametersOf({ schema, parameters: z.toJSONSchema(schema, { io: "input" }) })).toEqual({
      type: "object",
      properties: { a: { type: "string", default: "x" } },
    })
  })
})

describe("parameters written by hand", () => {
  const cycle: Record<string, unknown> = {}
  cycle.items = cycle
  it.each([
    [{ properties: { a: { default: 1n } } }, ["parameters", "properties", "a", "default"], /bigint/],
    [{ properties: { a: { default: () => 1 } } }, ["parameters", "properties", "a", "default"], /function/],
    [{ properties: { a: cycle } }, ["parameters", "properties", "a", "items"], /itself/],
    [{ enum: [new Set()] }, ["parameters", "enum", 0], /Set/],
  ])("are refused where they are not JSON, with the path", (parameters, path, reason) => {
    const error = refusalOf({ parameters: { type: "object", ...parameters } })
    expect(error).toMatchObject({ code: "not_json", path })
    expect(error.message).toMatch(reason)
  })

  it("are not changed, and a later change of them is not seen", () => {
    const parameters = { $schema: "x", type: "object", properties: { a: { type: "string" } as Record<string, unknown> } }
    const before = structuredClone(parameters)
    const published = parametersOf({ parameters })
    expect(parameters).toEqual(before)
    expect(Object.isFrozen(parameters)).toBe(false)
    parameters.properties.a.type = "number"
    expect(published).toEqual({ type: "object", properties: { a: { type: "string" } } })
    expect(parametersOf({ parameters })).toBe(published)
    expect(Object.isFrozen(published)).toBe(true)
    expect(() => ((published.properties as { a: { type: string } }).a.type = "null")).toThrow(TypeError)
  })

  it("are needed where there is no schema", () => {
    expect(refusalOf({})).toMatchObject({ code: "no_parameters" })
  })

  it("come out as they went in, whatever they say", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (properties) => {
        const parameters = { type: "object", properties }
        expect(JSON.stringify(parametersOf({ parameters }))).toBe(JSON.stringify(parameters))
      }),
    )
  })
})
