import { describe, expect, test } from "vitest"
import { draftOf, readDraft } from "../../playground/src/agent/draft.ts"
import { fieldOf, formOf, humanize } from "../../playground/src/agent/schemaField.ts"

const field = (schema: object) => fieldOf(schema, "Value", {})

const form = (properties: Record<string, unknown>, required: readonly string[] = [], more: object = {}) =>
  formOf({ type: "object", properties, required, ...more })

describe("A form's field is made of its JSON Schema", () => {
  test.each([
    ["a string", { type: "string" }, "text"],
    ["an e-mail address", { type: "string", format: "email" }, "text"],
    ["a number", { type: "number" }, "number"],
    ["a whole number", { type: "integer", minimum: 1, maximum: 5 }, "number"],
    ["a yes or no", { type: "boolean" }, "boolean"],
    ["one of some values", { enum: ["a", 1, null] }, "choice"],
    ["one of some constants", { anyOf: [{ const: "a", title: "The first" }, { const: "b" }] }, "choice"],
    ["a list of simple values", { type: "array", items: { type: "number" } }, "list"],
    ["a list of choices", { type: "array", items: { enum: ["a"] } }, "list"],
    ["an object", { type: "object", properties: { a: { type: "string" } } }, "group"],
    ["a list of objects", { type: "array", items: { type: "object", properties: {} } }, "json"],
    ["a union of types", { anyOf: [{ type: "string" }, { type: "number" }] }, "json"],
    ["a record", { type: "object", additionalProperties: { type: "string" } }, "json"],
    ["several types", { type: ["string", "null"] }, "json"],
    ["anything", {}, "json"],
    ["true", true, "json"],
    ["a reference to elsewhere", { $ref: "https://example.org/schema" }, "json"],
  ])("%s", (_what, schema, kind) => {
    expect(fieldOf(schema, "Value", {}).kind).toBe(kind)
  })

  test("A reference within the schema is followed", () => {
    const made = form({ home: { $ref: "#/$defs/address" } }, [], {
      $defs: { address: { type: "object", properties: { city: { type: "string" } } } },
    })
    expect(made).toMatchObject({ properties: [{ field: { kind: "group", properties: [{ name: "city" }] } }] })
  })

  test("A schema that contains itself ends as JSON", () => {
    const node = { type: "object", properties: { next: { $ref: "#" } } }
    expect(JSON.stringify(formOf(node))).toContain('"kind":"json"')
    const circle = { $ref: "#/$defs/circle", $defs: { circle: { $ref: "#/$defs/circle" } } }
    expect(formOf(circle).kind).toBe("json")
  })

  test("Names become words", () => {
    expect(["deliver_to", "wantsCopy", "zip-code", "URL"].map(humanize)).toEqual(["Deliver to", "Wants copy", "Zip code", "Url"])
  })
})

describe("A draft is read as arguments", () => {
  const all = form(
    {
      title: { type: "string" },
      count: { type: "integer" },
      tags: { type: "array", items: { type: "string" } },
      is_open: { type: "boolean" },
      size: { enum: ["s", "m"] },
      place: { type: "object", properties: { city: { type: "string" } } },
      extra: {},
    },
    ["title"],
  )

  test("What is typed is sent, in its own type", () => {
    const draft = { title: "x", count: "3", tags: ["a", "", "b"], is_open: true, size: '"m"', place: { city: "Graz" }, extra: '{"a":[1]}' }
    expect(readDraft(all, draft, true)).toEqual({
      type: "value",
      value: { title: "x", count: 3, tags: ["a", "b"], is_open: true, size: "m", place: { city: "Graz" }, extra: { a: [1] } },
    })
  })

  test("What is empty is left out, unless it is required and can be empty", () => {
    expect(readDraft(all, draftOf(all), true)).toEqual({ type: "value", value: { title: "" } })
  })

  test("What the schema fills in stands in the form, and can be taken back", () => {
    const made = form({ count: { type: "integer", default: 2 }, is_open: { type: "boolean", default: true } })
    expect(draftOf(made)).toEqual({ count: "2", is_open: true })
    expect(readDraft(made, { count: "", is_open: false }, true)).toEqual({ type: "value", value: { is_open: false } })
  })

  test("What is no value says so, by the field's name", () => {
    expect(readDraft(all, { title: "x", extra: "{" }, true)).toMatchObject({ type: "problem", problem: expect.stringContaining("Extra") })
    expect(readDraft(field({ type: "number" }), "three", true)).toMatchObject({ type: "problem" })
  })

  test("A value goes into the form and comes out of it the same", () => {
    const value = { title: "x", count: 3, tags: ["a"], is_open: true, size: "s", place: { city: "Graz" }, extra: [null] }
    expect(readDraft(all, draftOf(all, value), true)).toEqual({ type: "value", value })
  })

  test("A draft of another shape, left from an older schema, counts as nothing typed", () => {
    expect(readDraft(all, { title: ["x"], tags: "a", place: "Graz", count: true }, true)).toEqual({ type: "value", value: { title: "" } })
  })

  test("A property called __proto__ is a property", () => {
    const made = form(JSON.parse('{"__proto__": {"type": "string"}}') as Record<string, unknown>, ["__proto__"])
    const draft = JSON.parse('{"__proto__": "x"}') as Record<string, string>
    const reading = readDraft(made, draft, true)
    expect(JSON.stringify(reading)).toBe('{"type":"value","value":{"__proto__":"x"}}')
  })
})
