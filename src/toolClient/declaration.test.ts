import { afterEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { parametersOf } from "../tool/parameters.ts"
import type { AnyTool } from "../tool/tool.ts"
import { ToolDefinitionError } from "../tool/toolDefinitionError.ts"
import { createDeclaration, type ToolSource } from "./declaration.ts"
import { createToolSource } from "./toolSource.ts"

const warned = vi.spyOn(console, "warn").mockImplementation(() => {})
afterEach(() => warned.mockClear())

const aTool = (more: object = {}): AnyTool =>
  ({ description: "Adds.", parameters: { type: "object", properties: { a: { type: "number" } } }, execute: () => "done", ...more })

function setUp(name = "web") {
  const errors: unknown[] = []
  const declaration = createDeclaration(name, (error) => errors.push(error))
  /** A source whose definition a test may swap. */
  function source(tool: AnyTool): ToolSource & { swap(next: AnyTool): void } {
    let current = tool
    const made = createToolSource(() => current)
    return {
      get rank() {
        return made.rank
      },
      current: () => current,
      swap(next) {
        current = next
        for (const name of declaration.stacks.keys()) declaration.touch(name)
      },
    }
  }
  return {
    declaration,
    errors,
    source,
    names: () => [...declaration.offers().keys()],
    served: (toolName: string) => {
      const found = declaration.lookup(toolName)
      return found.status === "serving" ? found.tool.description : found.status
    },
  }
}

describe("what a tool client offers", () => {
  it("is nothing at first", () => {
    const { declaration, names } = setUp()
    expect(names()).toEqual([])
    expect(declaration.lookup("add")).toEqual({ status: "unknown" })
  })

  it("is what was declared, as it is published", () => {
    const { declaration, source } = setUp()
    declaration.add(source(aTool({ title: "Add", annotations: { readOnlyHint: true } })), "add")
    expect(declaration.offers().get("add")?.spec).toEqual({
      name: "add",
      description: "Adds.",
      title: "Add",
      annotations: { readOnlyHint: true },
      parameters: { type: "object", properties: { a: { type: "number" } } },
    })
  })

  it("is the same object until something that is published changes", () => {
    const { declaration, source } = setUp()
    const add = source(aTool())
    declaration.add(add, "add")
    const before = declaration.offers()
    expect(declaration.offers()).toBe(before)
    add.swap(aTool({ execute: () => "another handler" }))
    expect(declaration.offers()).toBe(before)
    add.swap(aTool({ timeout: 5, concurrency: "serial", maxResultBytes: 10 }))
    expect(declaration.offers()).toBe(before)
    add.swap(aTool({ description: "Adds two numbers." }))
    expect(declaration.offers()).not.toBe(before)
  })

  it.each<[string, object, object]>([
    ["the order of keys", { parameters: { type: "object", properties: { a: { type: "number", title: "A" }, b: {} } } }, { parameters: { properties: { b: {}, a: { title: "A", type: "number" } }, type: "object" } }],
    ["a schema made anew by each render", { parameters: undefined, schema: z.object({ a: z.number() }) }, { parameters: undefined, schema: z.object({ a: z.number() }) }],
    ["a schema instead of the parameters that it writes", { parameters: undefined, schema: z.object({ a: z.string() }) }, { parameters: parametersOf({ schema: z.object({ a: z.string() }) }) }],
    ["annotations made anew", { annotations: { readOnlyHint: true } }, { annotations: { readOnlyHint: true } }],
    ["a title that is undefined", { title: undefined }, {}],
  ])("is not another by %s", (_what, before, after) => {
    const { declaration, source } = setUp()
    const add = source(aTool(before))
    declaration.add(add, "add")
    const offers = declaration.offers()
    expect(offers.size).toBe(1)
    add.swap(aTool(after))
    expect(declaration.offers()).toBe(offers)
  })

  it.each<[string, object]>([
    ["description", { description: "Another." }],
    ["parameters", { parameters: { type: "object" } }],
    ["title", { title: "Add" }],
    ["annotations", { annotations: { readOnlyHint: true } }],
    ["output", { output: z.string() }],
  ])("is another by its %s", (_what, change) => {
    const { declaration, source } = setUp()
    const add = source(aTool())
    declaration.add(add, "add")
    const offers = declaration.offers()
    add.swap(aTool(change))
    expect(declaration.offers()).not.toBe(offers)
  })

  it("is what a definition has become that was changed in place and declared again", () => {
    const { declaration, source } = setUp()
    const properties: Record<string, unknown> = { a: { type: "number" } }
    const tool = aTool({ parameters: { type: "object", properties } })
    const add = source(tool)
    const spec = () => declaration.offers().get("add")?.spec
    declaration.add(add, "add")
    expect(spec()?.description).toBe("Adds.")
    Object.assign(tool, { description: "Adds two numbers." })
    add.swap(tool)
    expect(spec()?.description).toBe("Adds two numbers.")
    properties.b = { type: "number" }
    add.swap(aTool({ description: "Adds two numbers.", parameters: { type: "object", properties } }))
    expect(Object.keys(spec()?.parameters.properties as object)).toEqual(["a", "b"])
    add.swap(Object.assign(tool, { enabled: false }))
    expect(spec()).toBeUndefined()
  })

  it("is the same object when a tool is withdrawn and declared again before anybody looked", () => {
    const { declaration, source } = setUp()
    const withdraw = declaration.add(source(aTool()), "add")
    const offers = declaration.offers()
    withdraw()
    declaration.add(source(aTool()), "add")
    expect(declaration.offers()).toBe(offers)
  })

  it("keeps every other name when one is withdrawn", () => {
    const { declaration, source, names } = setUp()
    const withdraws = ["a", "b", "c"].map((name) => declaration.add(source(aTool()), name))
    expect(names()).toEqual(["a", "b", "c"])
    withdraws[1]!()
    expect(names()).toEqual(["a", "c"])
    withdraws[1]!()
    withdraws[0]!()
    withdraws[2]!()
    expect(names()).toEqual([])
    expect(declaration.lookup("a").status).toBe("unknown")
  })

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("may be a tool called %s", (name) => {
    const { declaration, source, served, names } = setUp()
    expect(served(name)).toBe("unknown")
    const withdraw = declaration.add(source(aTool()), name)
    expect(names()).toEqual([name])
    expect(served(name)).toBe("Adds.")
    withdraw()
    expect(served(name)).toBe("unknown")
    expect(names()).toEqual([])
  })
})

describe("the handler behind a name", () => {
  it("is the newest one without a flush", () => {
    const { declaration, source } = setUp()
    const add = source(aTool())
    declaration.add(add, "add")
    declaration.offers()
    const next = aTool({ execute: () => "new" })
    add.swap(next)
    expect(declaration.lookup("add")).toEqual({ status: "serving", tool: next })
  })

  it("is what its source holds now, also when nothing was touched", () => {
    const { declaration } = setUp()
    let current = aTool()
    declaration.add(createToolSource(() => current), "add")
    declaration.offers()
    const next = aTool({ execute: () => "new" })
    current = next
    expect(declaration.lookup("add")).toEqual({ status: "serving", tool: next })
  })
})

describe("several owners of one name", () => {
  it("are a stack: the last mounted serves, and the others serve again as it goes, in whatever order", () => {
    const { declaration, source, served } = setUp()
    const [first, second, third] = ["first", "second", "third"].map((description) => declaration.add(source(aTool({ description })), "add")) as [() => void, () => void, () => void]
    expect(served("add")).toBe("third")
    second()
    expect(served("add")).toBe("third")
    third()
    expect(served("add")).toBe("first")
    third()
    expect(served("add")).toBe("first")
    first()
    expect(served("add")).toBe("unknown")
  })

  it("keep their place when one of them is declared again", () => {
    const { declaration, source, served } = setUp()
    const low = source(aTool({ description: "low" }))
    const withdrawLow = declaration.add(low, "add")
    declaration.add(source(aTool({ description: "high" })), "add")
    withdrawLow()
    declaration.add(low, "add")
    expect(served("add")).toBe("high")
  })

  it("are told of once, by the tool's name and the client's", () => {
    const { declaration, source } = setUp()
    for (let count = 0; count < 3; count++) {
      const withdraw = declaration.add(source(aTool()), "add")
      declaration.add(source(aTool()), "add")
      declaration.offers()
      withdraw()
    }
    expect(warned).toHaveBeenCalledTimes(1)
    expect(String(warned.mock.calls[0]?.[0])).toMatch(/"add".*"web"/)
  })

  it("are no matter to tell of while all but one are switched off", () => {
    const { declaration, source } = setUp()
    declaration.add(source(aTool()), "add")
    declaration.add(source(aTool({ enabled: false })), "add")
    declaration.offers()
    expect(warned).not.toHaveBeenCalled()
  })

  it("serve by the highest that is enabled and sound", () => {
    const { declaration, source, served, errors } = setUp()
    declaration.add(source(aTool({ description: "low" })), "add")
    const middle = source(aTool({ description: "middle", enabled: false }))
    declaration.add(middle, "add")
    const high = source(aTool({ description: "" }))
    declaration.add(high, "add")
    expect(served("add")).toBe("low")
    expect(errors.length).toBe(1)
    middle.swap(aTool({ description: "middle" }))
    expect(served("add")).toBe("middle")
    high.swap(aTool({ description: "high" }))
    expect(served("add")).toBe("high")
    high.swap(aTool({ description: "high", enabled: false }))
    expect(served("add")).toBe("middle")
  })

  it("may be one source under two names", () => {
    const { declaration, source, names } = setUp()
    const both = source(aTool())
    declaration.add(both, "a")
    const withdraw = declaration.add(both, "b")
    expect(names()).toEqual(["a", "b"])
    both.swap(aTool({ enabled: false }))
    expect(names()).toEqual([])
    withdraw()
    both.swap(aTool())
    expect(names()).toEqual(["a"])
  })
})

describe("a tool that is switched off", () => {
  it("is not offered, and is known", () => {
    const { declaration, source, names, served } = setUp()
    const add = source(aTool({ enabled: false }))
    declaration.add(add, "add")
    expect(names()).toEqual([])
    expect(served("add")).toBe("disabled")
    add.swap(aTool({ enabled: true }))
    expect(names()).toEqual(["add"])
    add.swap(aTool({ enabled: undefined }))
    expect(names()).toEqual(["add"])
  })
})

describe("a definition that is refused", () => {
  it("is left out and reported by name, and sinks no other", () => {
    const { declaration, source, names, errors } = setUp()
    declaration.add(source(aTool()), "good")
    declaration.add(source(aTool({ parameters: undefined, schema: z.object({ when: z.object({ at: z.date() }) }) })), "bad")
    expect(names()).toEqual(["good"])
    expect(errors).toMatchObject([{ code: "unrepresentable", tool: "bad", path: ["when", "at"] }])
    expect(errors[0]).toBeInstanceOf(ToolDefinitionError)
  })

  it("is reported once, however often a render brings it again", () => {
    const { declaration, source, errors } = setUp()
    const bad = source(aTool({ description: "" }))
    declaration.add(bad, "bad")
    for (let count = 0; count < 5; count++) {
      declaration.offers()
      bad.swap(aTool({ description: "" }))
    }
    expect(errors.length).toBe(1)
  })

  it("is reported again when it is wrong in another way, or wrong again after it was right", () => {
    const { declaration, source, errors, names } = setUp()
    const bad = source(aTool({ description: "" }))
    declaration.add(bad, "bad")
    declaration.offers()
    bad.swap(aTool({ parameters: { type: "array" } }))
    declaration.offers()
    expect(errors.length).toBe(2)
    bad.swap(aTool())
    expect(names()).toEqual(["bad"])
    bad.swap(aTool({ parameters: { type: "array" } }))
    expect(names()).toEqual([])
    expect(errors.length).toBe(3)
  })

  it("of an unusable name is left out, and so is one that is too long with its prefix", () => {
    const { declaration, source, names, errors } = setUp()
    for (const name of ["", "a b", "x".repeat(60)]) declaration.add(source(aTool()), name)
    expect(names()).toEqual([])
    expect(errors).toMatchObject([{ code: "invalid_name" }, { code: "invalid_name" }, { code: "name_too_long" }])
  })

  it.each(["enabled", "description", "schema", "annotations"])("is left out when its %s cannot be read, and takes no other along", (option) => {
    const { declaration, source, names, errors } = setUp()
    const unreadable = (): AnyTool =>
      Object.defineProperty(aTool(), option, {
        enumerable: true,
        get() {
          throw new Error("of a getter")
        },
      })
    const bad = source(unreadable())
    declaration.add(source(aTool()), "good")
    declaration.add(bad, "bad")
    expect(names()).toEqual(["good"])
    expect(declaration.lookup("bad").status).toBe("disabled")
    bad.swap(aTool())
    expect(names()).toEqual(["good", "bad"])
    bad.swap(unreadable())
    expect(names()).toEqual(["good"])
    expect(errors).toEqual([new Error("of a getter"), new Error("of a getter")])
  })

  it("is left out when what it throws cannot be written, and takes no other along", () => {
    const { declaration, source, names, errors } = setUp()
    const thrown: unknown = Object.create(null)
    declaration.add(source(aTool()), "good")
    declaration.add(
      createToolSource(() => {
        throw thrown
      }),
      "bad",
    )
    expect(names()).toEqual(["good"])
    expect(errors).toEqual([thrown])
  })

  it("is told of with its own mistake when it is missing from one render on", () => {
    const { declaration, source, names, errors } = setUp()
    const tool = source(aTool())
    declaration.add(tool, "add")
    expect(names()).toEqual(["add"])
    tool.swap(undefined as never)
    expect(names()).toEqual([])
    expect(errors).toMatchObject([{ code: "no_description", tool: "add" }])
  })

  it.each<[string, object]>([
    ["execute", { execute: undefined }],
    ["parse", { parse: "no function" }],
    ["enabled", { enabled: 0 }],
    ["timeout", { timeout: Number.NaN }],
    ["concurrency", { concurrency: "series" }],
    ["maxResultBytes", { maxResultBytes: -1 }],
  ])("is left out also where only its %s is wrong, from one render on, and is back when that is right again", (option, wrong) => {
    const { declaration, source, names, errors } = setUp()
    const add = source(aTool())
    declaration.add(add, "add")
    expect(names()).toEqual(["add"])
    for (let count = 0; count < 3; count++) {
      add.swap(aTool(wrong))
      expect(names()).toEqual([])
    }
    expect(errors).toMatchObject([{ code: "invalid_option", tool: "add", path: [option] }])
    add.swap(aTool())
    expect(names()).toEqual(["add"])
  })

  it("is left out also while its source throws", () => {
    const { declaration, source, names, errors } = setUp()
    declaration.add(source(aTool()), "good")
    let isBroken = true
    const tool = aTool()
    const broken = createToolSource(() => {
      if (isBroken) throw new Error("of a binding")
      return tool
    })
    declaration.add(broken, "bad")
    for (let count = 0; count < 2; count++) {
      isBroken = true
      declaration.touch("bad")
      expect(names()).toEqual(["good"])
      expect(errors).toEqual(Array.from({ length: count + 1 }, () => new Error("of a binding")))
      isBroken = false
      declaration.touch("bad")
      expect(names()).toEqual(["good", "bad"])
    }
  })
})

describe("a client whose name has got a suffix", () => {
  it("leaves out and reports what is too long now, and offers the others as before", () => {
    const { declaration, source, names, errors } = setUp()
    const longest = "x".repeat(64 - "client__web__".length - 4)
    declaration.add(source(aTool()), longest)
    declaration.add(source(aTool()), "add")
    expect(names()).toEqual([longest, "add"])
    const before = declaration.offers()
    declaration.rename("web_999")
    expect(declaration.offers()).toBe(before)
    declaration.rename("web_1000000")
    expect(names()).toEqual(["add"])
    expect(errors).toMatchObject([{ code: "name_too_long", tool: longest, message: expect.stringContaining("web_1000000") }])
    declaration.rename("web")
    expect([...names()].sort()).toEqual([longest, "add"].sort())
  })
})
