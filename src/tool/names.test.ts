import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkClientName, checkToolName, MODEL_NAME_MAX_LENGTH, modelToolName, nameFits, NAME_SUFFIX_RESERVE } from "./names.ts"
import { ToolDefinitionError } from "./toolDefinitionError.ts"

const refusalOf = (check: () => void): ToolDefinitionError | undefined => {
  try {
    check()
  } catch (error) {
    if (error instanceof ToolDefinitionError) return error
    throw error
  }
  return undefined
}

const INVALID = ["", " ", "a b", "a.b", "ä", "a\n", "\na", "a/b", "\u{1f600}"]

describe("a tool's name", () => {
  it.each(INVALID)("is refused: %j", (name) => {
    const error = refusalOf(() => checkToolName("web", name))
    expect(error).toMatchObject({ code: "invalid_name", tool: name, path: [] })
    expect(error?.message).toContain("A-Z a-z 0-9 _ -")
  })

  it.each(["a", "open_contact_form", "a-b", "A9", "__proto__", "constructor", "_x"])("is accepted: %s", (name) => {
    expect(refusalOf(() => checkToolName("web", name))).toBeUndefined()
  })

  it("that is no string is refused", () => {
    for (const name of [undefined, null, 5, Symbol("s")]) expect(refusalOf(() => checkToolName("web", name as never))?.code).toBe("invalid_name")
  })

  it("may be as long as models accept with its prefix and the characters kept for the suffix", () => {
    const room = MODEL_NAME_MAX_LENGTH - NAME_SUFFIX_RESERVE - "client__web__".length
    expect(refusalOf(() => checkToolName("web", "a".repeat(room)))).toBeUndefined()
    const error = refusalOf(() => checkToolName("web", "a".repeat(room + 1)))
    expect(error).toMatchObject({ code: "name_too_long", tool: "a".repeat(room + 1) })
    expect(error?.message).toContain("65 characters")
    expect(error?.message).toContain("models take 64")
    expect(error?.message).toContain(`" to ${room}`)
  })

  it("fits after registration when its whole name has at most 64 characters", () => {
    const tool = "a".repeat(MODEL_NAME_MAX_LENGTH - "client__web_10__".length)
    expect(nameFits("web_10", tool)).toBe(true)
    expect(nameFits("web_100", tool)).toBe(false)
  })
})

describe("a client's name", () => {
  it.each([...INVALID, "a__b", "web_", "_", "__"])("is refused: %j", (name) => {
    const error = refusalOf(() => checkClientName(name))
    expect(error).toMatchObject({ code: "invalid_name", tool: "" })
    expect(error?.message).toContain(`tool client "${name}"`)
  })

  it.each(["web", "my-shop", "_web", "web_2"])("is accepted: %s", (name) => {
    expect(refusalOf(() => checkClientName(name))).toBeUndefined()
  })

  it("leaves room for a tool's name of one character", () => {
    const room = MODEL_NAME_MAX_LENGTH - NAME_SUFFIX_RESERVE - "client____x".length
    expect(refusalOf(() => checkClientName("a".repeat(room)))).toBeUndefined()
    expect(refusalOf(() => checkClientName("a".repeat(room + 1)))).toMatchObject({ code: "name_too_long", tool: "" })
  })
})

it("no two pairs of client and tool have one whole name", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "_"), minLength: 1, maxLength: 6 })
  const pair = fc.tuple(name, name).filter(([client, tool]) => !refusalOf(() => (checkClientName(client), checkToolName(client, tool))))
  fc.assert(
    fc.property(pair, pair, (one, other) => {
      expect(modelToolName(...one) === modelToolName(...other)).toBe(one.join("/") === other.join("/"))
    }),
    { numRuns: 2_000 },
  )
})
