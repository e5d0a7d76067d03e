import fc from "fast-check"
import { defineTool, type ModelProvider, type ModelToolDifference, type ModelTools, toModelTools } from "react-tool-client/tools"
import { parametersOf } from "react-tool-client"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { anyParameters, sayable } from "./support/anySchema.ts"
import { broken, RULES } from "./support/modelRules.ts"

type Json = Readonly<Record<string, unknown>>

const described = (parameters: unknown, name = "tool") => ({ name, description: "A tool.", parameters: parameters as Json })
const ofZod = (schema: z.ZodType) => described(parametersOf({ schema }))

/** The one tool's schema. */
function schemaOf<Provider extends ModelProvider>({ tools }: ModelTools<Provider>): Json {
  const [tool] = tools as readonly unknown[] as readonly Json[]
  const inner = (tool?.function ?? tool) as Json
  return (inner.parameters ?? inner.input_schema ?? inner.parametersJsonSchema) as Json
}

const kinds = (differences: readonly ModelToolDifference[]): readonly string[] => differences.map(({ kind, path }) => `${kind} ${path}`.trim())

/** For hundreds of schemas on a busy machine, in milliseconds. */
const PATIENCE_MS = 60_000

describe("a tool in a provider's format", () => {
  const tool = ofZod(z.object({ city: z.string() }))

  it("of OpenAI's Responses API", () => {
    expect(toModelTools([tool], "openai").tools).toEqual([
      {
        type: "function",
        name: "tool",
        description: "A tool.",
        strict: true,
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
      },
    ])
  })

  it("of OpenAI's Chat Completions API", () => {
    const [{ type, function: inner } = { type: "", function: undefined }] = toModelTools([tool], "openai-chat").tools
    expect({ type, ...inner }).toEqual(toModelTools([tool], "openai").tools[0])
  })

  it("of Anthropic's, strict where that is asked for", () => {
    expect(toModelTools([tool], "anthropic").tools).toEqual([{ name: "tool", description: "A tool.", input_schema: tool.parameters }])
    expect(toModelTools([tool], "anthropic").differences).toEqual([])
    expect(toModelTools([tool], "anthropic", { strict: true }).tools).toEqual([
      { name: "tool", description: "A tool.", strict: true, input_schema: { ...tool.parameters, additionalProperties: false } },
    ])
  })

  it("of Gemini's", () => {
    expect(toModelTools([tool], "gemini")).toMatchObject({ tools: [{ name: "tool", description: "A tool.", parametersJsonSchema: tool.parameters }], differences: [] })
  })

  it("of a map of tools, under the map's names", () => {
    const tools = { add_numbers: defineTool({ id: "demo.add", name: "Add", input: z.object({ a: z.number() }), output: z.number(), execute: ({ a }) => a }) }
    expect(toModelTools(tools, "anthropic").tools).toMatchObject([{ name: "add_numbers", description: "Add", input_schema: { properties: { a: { type: "number" } } } }])
  })

  it("takes no arguments where it takes none", () => {
    for (const provider of ["openai", "anthropic", "gemini"] as const) {
      const { tools, differences } = toModelTools([described({ type: "object", properties: {} })], provider)
      expect(tools).toHaveLength(1)
      expect(differences).toEqual([])
    }
    expect(schemaOf(toModelTools([described({ type: "object", properties: {} })], "openai"))).toEqual({ type: "object", properties: {}, required: [], additionalProperties: false })
  })
})

describe("OpenAI's strict mode", () => {
  it("is given every property, and toCall leaves out those that are null for nothing", () => {
    const tool = ofZod(
      z.object({
        city: z.string(),
        unit: z.enum(["C", "F"]).optional(),
        days: z.int().min(1).optional(),
        note: z.string().nullish(),
        place: z.object({ lat: z.number(), name: z.string().optional() }).optional(),
        stops: z.array(z.object({ at: z.string(), by: z.string().optional() })).optional(),
      }),
    )
    const model = toModelTools([tool], "openai")
    const { properties, required } = schemaOf(model) as { properties: Json; required: readonly string[] }
    expect(required).toEqual(["city", "unit", "days", "note", "place", "stops"])
    expect(properties.unit).toEqual({ anyOf: [{ type: "string", enum: ["C", "F"] }, { type: "null" }] })
    expect(properties.days).toMatchObject({ type: ["integer", "null"], minimum: 1 })
    expect(properties.note).toEqual({ type: ["string", "null"] })
    expect(kinds(model.differences).filter((text) => text.startsWith("nullable"))).toEqual(
      expect.arrayContaining(["nullable unit", "nullable days", "nullable note", "nullable place", "nullable place.name", "nullable stops", "nullable stops[].by"]),
    )
    const call = model.toCall("tool", '{"city":"Bern","unit":null,"days":null,"note":null,"place":{"lat":1,"name":null},"stops":[{"at":"x","by":null},{"at":"y","by":"z"}]}')
    expect(call).toEqual({ name: "tool", arguments: { city: "Bern", note: null, place: { lat: 1 }, stops: [{ at: "x" }, { at: "y", by: "z" }] } })
    expect(model.toCall("tool", { city: null }).arguments).toEqual({ city: null })
  })

  it("leaves out null by the variant of a union that was meant", () => {
    const shape = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), radius: z.number(), label: z.string().optional() }),
      z.object({ kind: z.literal("box"), side: z.number(), label: z.string().nullable() }),
    ])
    const model = toModelTools([ofZod(z.object({ shape }))], "openai")
    expect(model.tools).toMatchObject([{ strict: true }])
    expect(model.toCall("tool", { shape: { kind: "circle", radius: 1, label: null } }).arguments).toEqual({ shape: { kind: "circle", radius: 1 } })
    expect(model.toCall("tool", { shape: { kind: "box", side: 1, label: null } }).arguments).toEqual({ shape: { kind: "box", side: 1, label: null } })
  })

  it("gets one object for a union at the root, and the description says what goes together", () => {
    const union = z.discriminatedUnion("kind", [z.object({ kind: z.literal("circle"), radius: z.number() }), z.object({ kind: z.literal("box"), side: z.number() })])
    for (const provider of ["openai", "anthropic", "gemini"] as const) {
      const model = toModelTools([ofZod(union)], provider)
      const schema = schemaOf(model)
      expect(Object.keys(schema.properties as object)).toEqual(["kind", "radius", "side"])
      expect((schema.properties as Json).kind).toMatchObject({ enum: ["circle", "box"] })
      expect(schema).not.toHaveProperty("oneOf")
      expect(schema).not.toHaveProperty("anyOf")
      expect(schema.description).toContain('"kind", "radius"; or: "kind", "side"')
      expect(kinds(model.differences)).toContain("rewritten")
      expect(model.toCall("tool", { kind: "box", radius: null, side: 2 }).arguments).toEqual(provider === "openai" ? { kind: "box", side: 2 } : { kind: "box", radius: null, side: 2 })
    }
  })

  it("is told in the description what it takes no keyword for", () => {
    const model = toModelTools([described({ type: "object", properties: { name: { type: "string", minLength: 2, description: "Whose.", default: "you" } }, required: ["name"] })], "openai")
    expect((schemaOf(model).properties as Json).name).toEqual({ type: "string", description: 'Whose. (minLength: 2, default: "you")' })
    expect(kinds(model.differences)).toEqual(["narrowed", "dropped name", "dropped name"])
    expect(model.differences[1]?.text).toContain("minLength")
  })

  it.each([
    ["a map", z.object({ labels: z.record(z.string(), z.string()) }), "labels"],
    ["anything", z.object({ value: z.unknown() }), "value"],
    ["an open object", z.object({ item: z.looseObject({ id: z.string() }) }), "item"],
    ["an array of anything", z.object({ list: z.array(z.any()) }), "list[]"],
  ])("is left for %s, and the tool is there nevertheless, as it is", (_what, schema, path) => {
    const tool = ofZod(schema)
    const model = toModelTools([tool], "openai")
    expect(model.tools).toMatchObject([{ strict: false, parameters: tool.parameters }])
    expect(kinds(model.differences)).toEqual([`not_strict ${path}`])
    expect(model.toCall("tool", { x: null }).arguments).toEqual({ x: null })
  })

  it("takes a schema that contains itself", () => {
    const tree: z.ZodType = z.object({ label: z.string(), get children() { return z.array(tree).optional() } })
    const model = toModelTools([ofZod(z.object({ tree }))], "openai")
    expect(model.tools).toMatchObject([{ strict: true }])
    expect(broken(RULES.openai, schemaOf(model))).toEqual([])
    expect(model.toCall("tool", { tree: { label: "a", children: [{ label: "b", children: null }] } }).arguments).toEqual({ tree: { label: "a", children: [{ label: "b" }] } })
  })

  it("is left where a limit is passed", () => {
    const wide = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`p${index}`, { type: "null" }]))
    const deep = Array.from({ length: 11 }).reduce<unknown>((inner) => ({ type: "object", properties: { in: inner }, required: ["in"] }), { type: "null" })
    const values = Array.from({ length: 1_001 }, (_, index) => index)
    const long = Array.from({ length: 251 }, (_, index) => String(index).padEnd(60, "x"))
    const parameters = [wide, { deep }, { one: { enum: values } }, { one: { enum: long } }, { ["n".repeat(120_001)]: { type: "null" } }]
    const { tools, differences } = toModelTools(parameters.map((properties, index) => described({ type: "object", properties }, `tool_${index}`)), "openai")
    expect(tools.map(({ strict }) => strict)).toEqual([false, false, false, false, false])
    expect(differences.filter(({ kind }) => kind === "not_strict").map(({ text }) => /5001 properties|11 levels|12 levels|1001 values|15000 characters|120001 characters/.test(text))).toEqual([true, true, true, true, true])
  })

  it("can be switched off", () => {
    const tool = ofZod(z.object({ city: z.string().optional() }))
    expect(toModelTools([tool], "openai", { strict: false })).toMatchObject({ tools: [{ strict: false, parameters: tool.parameters }], differences: [] })
  })
})

describe("Anthropic's strict mode", () => {
  it("takes as many tools and optional properties as a request may have, and no more", () => {
    const tool = (index: number) => ({ ...ofZod(z.object({ a: z.string().optional() })), name: `tool_${index}` })
    const many = toModelTools(Array.from({ length: 22 }, (_, index) => tool(index)), "anthropic", { strict: true })
    expect(many.tools.filter(({ strict }) => strict)).toHaveLength(20)
    expect(many.differences.filter(({ kind }) => kind === "not_strict").map(({ tool: name }) => name)).toEqual(["tool_20", "tool_21"])
    const optional = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`p${index}`, z.string().optional()]))
    expect(toModelTools([ofZod(z.object(optional))], "anthropic", { strict: true }).tools[0]).not.toHaveProperty("strict")
  })

  it("leaves a schema that contains itself", () => {
    const tree: z.ZodType = z.object({ get children() { return z.array(tree) } })
    expect(kinds(toModelTools([ofZod(z.object({ tree }))], "anthropic", { strict: true }).differences)).toContain("not_strict tree")
  })
})

describe("Gemini's subset", () => {
  it("requires nothing that contains itself, since it unrolls only what may be missing", () => {
    const tree: z.ZodType = z.object({ label: z.string(), get children() { return z.array(tree) } })
    const model = toModelTools([ofZod(z.object({ tree }))], "gemini")
    const definitions = Object.values(schemaOf(model).$defs as object) as Json[]
    expect([schemaOf(model).required ?? [], ...definitions.map(({ required }) => required)].flat()).toEqual(["label"])
    expect(broken(RULES.gemini, schemaOf(model))).toEqual([])
  })

  it("requires what need not contain itself", () => {
    const tree: z.ZodType = z.object({ get children() { return z.array(tree).optional() } })
    const model = toModelTools([ofZod(z.object({ tree }))], "gemini")
    expect(schemaOf(model).required).toEqual(["tree"])
    expect(model.differences).toEqual([])
  })

  it("has values of text and number only, and no const", () => {
    const model = toModelTools([ofZod(z.object({ kind: z.literal("a"), on: z.literal(true), tuple: z.tuple([z.string(), z.number()]) }))], "gemini")
    expect(schemaOf(model).properties).toMatchObject({ kind: { type: "string", enum: ["a"] }, on: { type: "boolean" }, tuple: { prefixItems: [{ type: "string" }, { type: "number" }] } })
    expect(kinds(model.differences)).toEqual(["dropped on"])
  })
})

describe("a name", () => {
  it("that a provider does not take is another, and toCall gives the tool's own back", () => {
    const names = ["add.todo", "add todo", "add_todo", "9lives", "x".repeat(80), ""]
    const tools = names.map((name) => described({ type: "object", properties: {} }, name))
    for (const provider of ["openai", "openai-chat", "anthropic", "gemini"] as const) {
      const model = toModelTools(tools, provider)
      const given = model.tools.map((tool) => ("function" in tool ? tool.function.name : tool.name))
      expect(new Set(given).size).toBe(names.length)
      for (const name of given) expect(name).toMatch(provider === "gemini" ? /^[A-Za-z_][\w-]{0,63}$/ : /^[\w-]{1,64}$/)
      expect(given.map((name) => model.toCall(name, {}).name)).toEqual(names)
    }
    expect(toModelTools(tools, "openai").differences.filter(({ kind }) => kind === "renamed").map(({ tool }) => tool)).toEqual(["add.todo", "add todo", "add_todo", "x".repeat(80), ""])
  })

  it("of nobody is given back as it is, and so is a text that is no JSON", () => {
    expect(toModelTools([], "openai").toCall("nobody", "{oops")).toEqual({ name: "nobody", arguments: "{oops" })
  })

  it("of a property that Anthropic does not take leaves the tool out, and no other", () => {
    const tools = [described({ type: "object", properties: { deep: { type: "object", properties: { "first name": {} } } } }, "bad"), described({ type: "object", properties: {} }, "good")]
    const model = toModelTools(tools, "anthropic")
    expect(model.tools.map(({ name }) => name)).toEqual(["good"])
    expect(model.differences).toMatchObject([{ tool: "bad", kind: "left_out", path: 'deep["first name"]' }])
  })
})

it.each([null, 7, "text", [], { type: "string" }, { type: "array" }, { $ref: "#" }, { anyOf: [{ $ref: "#" }] }, { anyOf: [{ type: "string" }] }])("Parameters that are no object (%j) leave the tool out, or are an empty object.", (parameters) => {
  for (const provider of ["openai", "anthropic", "gemini"] as const) {
    const { tools, differences } = toModelTools([described(parameters), described({ type: "object", properties: {} }, "good")], provider)
    expect(tools.length + differences.filter(({ kind }) => kind === "left_out").length).toBe(2)
  }
})

it("A schema whose references multiply without end is left out in time", { timeout: PATIENCE_MS }, () => {
  const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`d${index}`, { allOf: [{ $ref: `#/$defs/d${index + 1}` }], anyOf: [{ $ref: `#/$defs/d${index + 1}`, minLength: 1 }, { $ref: `#/$defs/d${index + 1}`, maxLength: 9 }] }]))
  const parameters = { type: "object", properties: { a: { $ref: "#/$defs/d0", title: "x", minLength: 1 } }, $defs: { ...$defs, d60: { type: "string" } } }
  const { differences } = toModelTools([described(parameters)], "gemini")
  expect(differences.at(-1)).toMatchObject({ kind: "left_out" })
})

describe("any tool", () => {
  const cases = [
    { provider: "openai", strict: true, rules: RULES.openai },
    { provider: "openai-chat", strict: true, rules: RULES.openai },
    { provider: "anthropic", strict: true, rules: RULES.anthropic },
    { provider: "gemini", strict: false, rules: RULES.gemini },
  ] as const

  it.each(cases)("keeps to the rules of $provider, or is not strict and says so", { timeout: PATIENCE_MS }, ({ provider, strict, rules }) => {
    fc.assert(
      fc.property(anyParameters, ({ schema }) => {
        const model = toModelTools([described(schema)], provider, { strict })
        const [tool] = model.tools as readonly unknown[] as readonly Json[]
        if (!tool) {
          expect(kinds(model.differences).join()).toContain("left_out")
          return
        }
        const isStrict = ((tool.function ?? tool) as Json).strict === true
        const root = schemaOf(model)
        expect(root.type).toBe("object")
        for (const key of ["anyOf", "oneOf", "allOf", "enum", "const", "not", "$ref"]) expect(root).not.toHaveProperty(key)
        if (isStrict || provider === "gemini") expect(broken(rules, root)).toEqual([])
        else expect(kinds(model.differences).join()).toContain("not_strict")
        expect(JSON.parse(JSON.stringify(root))).toEqual(root)
      }),
      { numRuns: 500 },
    )
  })

  it("of OpenAI's strict mode gets the arguments that were meant, with null given for everything that is missing", { timeout: PATIENCE_MS }, () => {
    let strict = 0
    fc.assert(
      fc.property(
        sayable.chain(({ schema, value }) => value.map((args) => ({ schema, args }))),
        ({ schema, args }) => {
          const model = toModelTools([described(schema)], "openai")
          const root = schemaOf(model)
          if (model.tools[0]?.strict) strict++
          const said = model.tools[0]?.strict ? asModelSays(args, root, root) : args
          expect(model.toCall("tool", JSON.stringify(said)).arguments).toEqual(JSON.parse(JSON.stringify(args)))
        },
      ),
      { numRuns: 500 },
    )
    expect(strict).toBeGreaterThan(250)
  })
})

/** What a model that keeps to a strict schema writes for these arguments: every property, null where there is nothing. */
function asModelSays(value: unknown, schema: Json, root: Json): unknown {
  if (typeof schema.$ref === "string") {
    const name = /^#\/\$defs\/(.+)$/.exec(schema.$ref)?.[1]
    return asModelSays(value, name === undefined ? root : ((root.$defs as Json)[name] as Json), root)
  }
  if (Array.isArray(schema.anyOf)) {
    const fitting = (schema.anyOf as Json[]).find((one) => fits(value, one, root))
    return fitting ? asModelSays(value, fitting, root) : value
  }
  if (Array.isArray(value) && schema.items) return value.map((one) => asModelSays(one, schema.items as Json, root))
  if (typeof value !== "object" || value === null || !schema.properties) return value
  return Object.fromEntries(
    Object.entries(schema.properties as Json).map(([name, one]) => [name, Object.hasOwn(value, name) ? asModelSays((value as Json)[name], one as Json, root) : null]),
  )
}

function fits(value: unknown, schema: Json, root: Json): boolean {
  if (typeof schema.$ref === "string") return fits(value, (root.$defs as Json)[schema.$ref.slice("#/$defs/".length)] as Json, root)
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as Json[]).some((one) => fits(value, one, root))
  if ("const" in schema) return schema.const === value
  if (Array.isArray(schema.enum)) return schema.enum.includes(value)
  const types = [schema.type].flat()
  if (value === null) return types.includes("null")
  if (Array.isArray(value)) return types.includes("array") && value.every((one) => fits(one, schema.items as Json, root))
  if (typeof value === "number") return types.includes("number") || types.includes("integer")
  if (typeof value !== "object") return types.includes(typeof value)
  if (!types.includes("object")) return false
  const properties = schema.properties as Json
  return (
    Object.keys(value).every((key) => Object.hasOwn(properties, key)) &&
    Object.entries(properties).every(([key, one]) => fits(Object.hasOwn(value, key) ? (value as Json)[key] : null, one as Json, root))
  )
}

describe("a schema of an older draft, which a provider would refuse together with the whole request,", () => {
  const only = (schema: unknown) => described({ type: "object", properties: { p: schema }, required: ["p"] })
  const saidOf = (schema: unknown, provider: ModelProvider) => (schemaOf(toModelTools([only(schema)], provider)).properties as Json).p

  it.each<[string, unknown, unknown]>([
    ["a tuple", { type: "array", items: [{ type: "string" }], additionalItems: false }, { type: "array", prefixItems: [{ type: "string" }], items: false }],
    ["a tuple with more behind it", { type: "array", items: [{ type: "string" }], additionalItems: { type: "number" } }, { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } }],
    ["bounds that a flag makes exclusive", { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false }, { type: "number", exclusiveMinimum: 0, maximum: 5 }],
    ["OpenAPI's nullable", { type: "string", nullable: true, enum: ["a"] }, { type: ["string", "null"], enum: ["a", null] }],
    ["a type that there is not", { type: "any" }, {}],
    ["required as a flag", { type: "string", required: true }, { type: "string" }],
    ["a union of nothing", { anyOf: [] }, {}],
    ["a length that is no number", { type: "string", maxLength: "8" }, { type: "string" }],
    ["a reference that leads nowhere", { $ref: "#/$defs/none" }, {}],
    ["a reference to elsewhere", { $ref: "https://schemas.example/a" }, {}],
    ["a property that is no schema", 7, {}],
  ])("is said in the newest: %s", (_what, schema, said) => {
    expect(saidOf(schema, "anthropic")).toEqual(said)
    expect(toModelTools([only(schema)], "anthropic").differences).toMatchObject([{ path: "p" }])
  })

  it("is said strictly too", () => {
    expect(saidOf({ type: "number", minimum: 0, exclusiveMinimum: true }, "openai")).toEqual({ type: "number", exclusiveMinimum: 0 })
    expect(saidOf({ type: "string", nullable: true }, "openai")).toEqual({ type: ["string", "null"] })
  })

  it("leaves no reference behind that pointed into what was rewritten", () => {
    const parameters = { type: "object", properties: { p: { type: "array", items: [{ type: "string" }] }, q: { $ref: "#/properties/p/items/0" } } }
    expect(schemaOf(toModelTools([described(parameters)], "anthropic")).properties).toMatchObject({ q: {} })
  })

  it("and properties that are called like keywords are properties", () => {
    const parameters = { type: "object", properties: { items: { type: "string" }, type: { type: "number" }, required: { type: "boolean" }, enum: { type: "string" } }, required: ["items"] }
    expect(toModelTools([described(parameters)], "anthropic")).toMatchObject({ tools: [{ input_schema: parameters }], differences: [] })
  })
})

describe("values that a provider's enum may not hold", () => {
  it("are said to the model in words, and an empty one takes nothing", () => {
    const parameters = { type: "object", properties: { mixed: { enum: ["a", 1, null] }, none: { type: "string", enum: [] } } }
    const model = toModelTools([described(parameters)], "gemini")
    expect(schemaOf(model).properties).toMatchObject({ mixed: { description: '(enum: ["a",1,null])' }, none: { type: "string" } })
    expect(kinds(model.differences)).toEqual(["dropped mixed", "dropped none"])
  })
})
