import { describe, expect, it } from "vitest"
import { z } from "zod"
import { parametersOf } from "../../tool/parameters.ts"
import { fieldsOf, sampleOf, textOfValue, valueOfText } from "./schemaFields.ts"

const schema = z.object({
  title: z.string().describe("What is to be done."),
  count: z.number().int().min(2),
  size: z.enum(["small", "large"]).optional(),
  isDone: z.boolean().default(true),
  tags: z.array(z.string()),
})
const parameters = parametersOf({ schema })

describe("a form's fields", () => {
  it("are those of the schema", () => {
    expect(fieldsOf(parameters).map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ["title", "text", true],
      ["count", "number", true],
      ["size", "choice", false],
      ["isDone", "boolean", false],
      ["tags", "json", true],
    ])
  })

  it("begin with a sample of what is required", () => {
    expect(sampleOf(parameters)).toEqual({ title: "", count: 2, tags: [] })
  })

  it("give back the value that was put into them", () => {
    const value: Record<string, unknown> = { title: "milk", count: 3, size: "large", isDone: false, tags: ["a"] }
    for (const field of fieldsOf(parameters)) expect(valueOfText(field, textOfValue(field, value[field.name]))).toEqual(value[field.name])
  })

  it("leave out what is empty, and let through what is wrong, for the tool to refuse", () => {
    const [title, count, size, , tags] = fieldsOf(parameters)
    if (!title || !count || !size || !tags) throw new Error("The schema has five properties.")
    expect([valueOfText(title, ""), valueOfText(count, ""), valueOfText(size, "")]).toEqual(["", undefined, undefined])
    expect(valueOfText(count, "many")).toBe("many")
    expect(() => valueOfText(tags, "[1")).toThrow(SyntaxError)
  })
})
