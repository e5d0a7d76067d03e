import { schemaOfJson } from "react-tool-client/tools"
import { describe, expect, it } from "vitest"
import { validateValue } from "../../src/action/validateValue.ts"
import { rejection } from "./support/maps.ts"

const check = (schema: object, value: unknown) => validateValue(schemaOfJson(schema as Record<string, unknown>, "p.a", "input"), value)

describe("a schema rebuilt from JSON Schema", () => {
  it("gives a value that passes back as it is, without defaults", async () => {
    const value = JSON.parse('{"__proto__":{"a":1},"more":[1]}')
    const read = await check({ type: "object", properties: { b: { type: "number", default: 3 } } }, value)
    expect(read.ok && read.value).toBe(value)
  })

  it.each([
    [{ type: "object", properties: { a: { type: "number" } }, required: ["a"] }, { a: "x" }, ["a"]],
    [{ type: "object", properties: {}, additionalProperties: false }, { b: 1 }, []],
    [{ type: "array", prefixItems: [{ type: "number" }], items: false, minItems: 1 }, ["x"], [0]],
    [{ type: "array", items: { $ref: "#/$defs/node" }, $defs: { node: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/node" } } }, required: ["kids"] } } }, [{ kids: [{}] }], [0, "kids", 0, "kids"]],
    [{ $ref: "#/definitions/a", definitions: { a: { enum: ["x", 1] } } }, "y", []],
    [{ type: "string", format: "email" }, "nobody", []],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, []],
    [{ type: "integer", minimum: 1 }, 0, []],
  ])("%j refuses %j at its path", async (schema, value, path) => {
    const read = await check(schema, value)
    expect(read.ok ? undefined : read.issues.map((issue) => issue.path)).toEqual([path])
  })

  it("leaves regular expressions to the host, so that none can take for ever", async () => {
    const evil = "a".repeat(40)
    expect((await check({ type: "string", pattern: "^(a+)+$" }, `${evil}!`)).ok).toBe(true)
    expect((await check({ type: "object", patternProperties: { "^(a+)+$": { type: "number" } }, additionalProperties: false }, { [`${evil}!`]: 1 })).ok).toBe(true)
    expect((await check({ type: "string", pattern: "(" }, "x")).ok).toBe(true)
  })

  it("takes keywords for words where they are names or data", async () => {
    const schema = { type: "object", properties: { pattern: { type: "number" }, default: { const: "pattern" } }, required: ["pattern"] }
    expect(await check(schema, { default: "other" })).toMatchObject({ ok: false, issues: [{ path: ["pattern"] }, { path: ["default"] }] })
  })

  it.each([
    [{ if: {}, then: {} }, "if/then/else"],
    [{ type: "object", not: { required: ["a"] } }, "not is not supported"],
    [{ $ref: "https://elsewhere.test/schema" }, "External $ref"],
    [{ $ref: "#/$defs/none" }, "Reference not found"],
    [{ type: "object", unevaluatedProperties: false }, "unevaluatedProperties"],
  ])("says that %j cannot be checked, with the tool's name", async (schema, text) => {
    expect(await rejection(check(schema, {}))).toMatchObject({ code: "bad_manifest", tool: "p.a", message: expect.stringContaining(text) })
  })

  it.each([
    { $ref: "#" },
    { allOf: [{ $ref: "#" }] },
    { $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } }, $ref: "#/$defs/A" },
  ])("says of %j that it has no end", async (schema) => {
    expect(await rejection(check(schema, {}))).toMatchObject({ code: "bad_manifest", tool: "p.a", message: expect.stringContaining("without end") })
  })

  it.each(["constructor", "toString", "valueOf", "hasOwnProperty"])("reads no inherited %s, wherever it stands", async (name) => {
    const schema = { type: "object", properties: { [name]: { type: "number" }, list: { type: "array", items: { type: "object", properties: { [name]: { type: "number" } } } } } }
    const value = { list: [{}, { [name]: 1 }] }
    const read = await check(schema, value)
    expect(read.ok && read.value).toBe(value)
    expect(await check(schema, { [name]: "x" })).toMatchObject({ ok: false, issues: [{ path: [name] }] })
    expect(await check(schema, { list: [{ [name]: "x" }] })).toMatchObject({ ok: false, issues: [{ path: ["list", 0, name] }] })
    expect(await check({ ...schema, required: [name] }, {})).toMatchObject({ ok: false, issues: [{ path: [name] }] })
  })

  it.each([
    ["8,000 properties", { type: "object", properties: Object.fromEntries(Array.from({ length: 8_000 }, (_, index) => [`p${index}`, { type: "number" }])) }],
    ["50,000 properties", { type: "object", properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`p${index}`, {}])) }],
    ["10,000 levels", Array.from({ length: 10_000 }).reduce<object>((items) => ({ type: "array", items }), {})],
  ])("is made of no schema with %s: the tool rejects with the reason", async (_what, schema) => {
    expect(await rejection(check(schema, {}))).toMatchObject({ code: "bad_manifest", tool: "p.a", message: expect.stringMatching(/more than 4000 parts|call stack/) })
  })

  it("says itself as JSON Schema", () => {
    const schema = { type: "object", properties: { a: { type: "number" } } }
    const { jsonSchema } = schemaOfJson(schema, "p.a", "input")["~standard"]
    expect(jsonSchema.input({ target: "draft-2020-12" })).toEqual(schema)
  })
})
