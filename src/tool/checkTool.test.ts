import { type } from "arktype"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { checkTool } from "./checkTool.ts"
import type { AnyTool } from "./tool.ts"
import { ToolDefinitionError } from "./toolDefinitionError.ts"

const description = "Add an item."
const schema = z.object({ qty: z.number() })
const execute = (): string => "ok"
const good = { description, schema, execute }

const refusalOf = (definition: unknown, name = "add"): ToolDefinitionError | undefined => {
  try {
    checkTool("web", name, definition as AnyTool)
  } catch (error) {
    if (error instanceof ToolDefinitionError) return error
    throw error
  }
  return undefined
}

it.each([
  good,
  { description, schema: type({ a: "string" }), execute },
  { description, parameters: {}, execute },
  { description, parameters: {}, parse: (args: unknown) => args, execute },
  { ...good, parameters: { type: "object" } },
  {
    ...good,
    title: "Add",
    annotations: { readOnlyHint: true },
    output: z.string(),
    enabled: false,
    timeout: 1,
    concurrency: "latest",
    maxResultBytes: 10,
  },
  { ...good, annotations: Object.create(null) as object },
  { ...good, title: undefined, parse: undefined, timeout: undefined, concurrency: undefined, enabled: undefined, output: undefined },
])("a sound definition is accepted", (definition) => {
  expect(refusalOf(definition)).toBeUndefined()
})

describe("a definition is refused by name", () => {
  it.each([
    ["no description", { schema, execute }, "no_description", ["description"]],
    ["an empty description", { ...good, description: " " }, "no_description", ["description"]],
    ["a description that is no string", { ...good, description: 5 }, "no_description", ["description"]],
    ["schema beside parse", { ...good, parse: (args: unknown) => args }, "schema_and_parse", []],
    ["neither schema nor parameters", { description, execute }, "no_parameters", []],
    ["parse alone", { description, parse: (args: unknown) => args, execute }, "no_parameters", []],
    ["a schema that is none", { ...good, schema: { type: "object" } }, "invalid_schema", ["schema"]],
    ["a schema that is a string", { ...good, schema: "object" }, "invalid_schema", ["schema"]],
    ["an output schema that is none", { ...good, output: {} }, "invalid_schema", ["output"]],
    ["no execute", { description, schema }, "invalid_option", ["execute"]],
    ["execute that is no function", { ...good, execute: "run" }, "invalid_option", ["execute"]],
    ["parse that is no function", { description, parameters: {}, parse: {}, execute }, "invalid_option", ["parse"]],
    ["a timeout of 0", { ...good, timeout: 0 }, "invalid_option", ["timeout"]],
    ["an endless timeout", { ...good, timeout: Infinity }, "invalid_option", ["timeout"]],
    ["a timeout that is no number", { ...good, timeout: "5s" }, "invalid_option", ["timeout"]],
    ["a timeout of NaN", { ...good, timeout: NaN }, "invalid_option", ["timeout"]],
    ["a negative size", { ...good, maxResultBytes: -1 }, "invalid_option", ["maxResultBytes"]],
    ["an unknown concurrency", { ...good, concurrency: "random" }, "invalid_option", ["concurrency"]],
    ["a title that is no string", { ...good, title: 5 }, "invalid_option", ["title"]],
    ["enabled that is no boolean", { ...good, enabled: "yes" }, "invalid_option", ["enabled"]],
    ["annotations that are not JSON", { ...good, annotations: { readOnlyHint: () => true } }, "not_json", ["annotations", "readOnlyHint"]],
    ["annotations that are null", { ...good, annotations: null }, "invalid_option", ["annotations"]],
    ["an empty title", { ...good, title: "" }, "invalid_option", ["title"]],
    ["a type that JSON Schema cannot say", { ...good, schema: z.object({ at: z.date() }) }, "unrepresentable", ["at"]],
    ["an output that JSON Schema cannot say", { ...good, output: z.object({ at: z.date() }) }, "unrepresentable", ["at"]],
    ["a root that is no object", { ...good, schema: z.string() }, "root_not_object", []],
    ["a definition that is null", null, "no_description", ["description"]],
  ] as const)("%s", (_, definition, code, path) => {
    const error = refusalOf(definition)
    expect(error).toMatchObject({ name: "ToolDefinitionError", code, tool: "add", path })
    expect(error?.message).toMatch(/^tool "add"/)
  })

  it("an invalid name", () => {
    expect(refusalOf(good, "add item")).toMatchObject({ code: "invalid_name", tool: "add item" })
  })
})
