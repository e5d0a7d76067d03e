import * as v from "valibot"
import { createItemStore, defineService, defineTool, ProviderRegistry, Services, ToolError, ToolInterrupt } from "react-tool-client/tools"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { quiet, rejection } from "./support/maps.ts"

const context = { logger: quiet }
const base = { id: "t", name: "T", input: z.object({ n: z.coerce.number() }), output: z.object({ text: z.string() }) }

describe("a tool", () => {
  it("runs with the input's output, and gives the output's output", async () => {
    const tool = defineTool({ ...base, output: z.object({ text: z.string().transform(Number) }), execute: ({ n }) => ({ text: `${n + 1}` }) })
    expect(await tool.execute({ n: "4" }, context)).toEqual({ text: 5 })
  })

  it("takes schemas of any library", async () => {
    const tool = defineTool({ id: "v", name: "V", input: v.object({ n: v.number() }), output: v.number(), execute: ({ n }) => n * 2 })
    expect(await tool.execute({ n: 2 }, context)).toBe(4)
    expect(await rejection(tool.execute({ n: "2" as unknown as number }, context))).toMatchObject({ code: "invalid_input", issues: [{ path: ["n"] }] })
  })

  it("does not run with an input that is refused", async () => {
    let runs = 0
    const tool = defineTool({ ...base, execute: () => ({ text: `${++runs}` }) })
    await rejection(tool.execute({ n: "x" }, context))
    expect(runs).toBe(0)
  })

  it("passes an interrupt on as it is, and anything else thrown as failed, with its cause", async () => {
    const interrupt = new ToolInterrupt("Really?")
    const throws = (thrown: unknown) =>
      rejection(
        defineTool({
          ...base,
          execute() {
            throw thrown
          },
        }).execute({ n: 1 }, context),
      )
    expect(await throws(interrupt)).toEqual(interrupt)
    const odd = new RangeError("too far")
    expect(await throws(odd)).toMatchObject({ code: "failed", tool: "t", message: 'Tool "t": too far', cause: odd })
    expect(await throws("words")).toMatchObject({ code: "failed", message: 'Tool "t": words' })
    expect(await throws(undefined)).toMatchObject({ code: "failed" })
  })

  it("says failed of another tool's error, whose input was not the caller's", async () => {
    const inner = defineTool({ ...base, id: "inner", execute: () => ({ text: "" }) })
    const outer = defineTool({ ...base, id: "outer", execute: (_input, given) => inner.execute({ n: "x" }, given) })
    expect(await rejection(outer.execute({ n: 1 }, context))).toMatchObject({ code: "failed", tool: "outer", issues: [], cause: { code: "invalid_input", tool: "inner" } })
  })

  it("names every path of what was refused in its message", () => {
    const issues = [
      { path: ["list", 1, "a b"], message: "no" },
      { path: [], message: "not at all" },
    ]
    const error = new ToolError("invalid_input", "t", "its input was refused", { issues })
    expect(error.message).toBe('Tool "t": its input was refused: list[1]["a b"]: no; (root): not at all')
  })

  it("hears of nothing after an abort, and the caller at once", async () => {
    const controller = new AbortController()
    const items = createItemStore()
    const tool = defineTool({ ...base, execute: () => new Promise<{ text: string }>(() => controller.abort(new Error("enough"))) })
    expect(await rejection(tool.execute({ n: 1 }, { ...context, items, signal: controller.signal }))).toMatchObject({ code: "aborted", cause: { message: "enough" } })
  })
})

describe("services", () => {
  it("are given by their keys, made once where a key can make them, and two of one name are two", () => {
    let made = 0
    const One = defineService<number>("n")
    const Two = defineService("n", () => ++made)
    const Sum = defineService("sum", (services) => services.get(One) + services.get(Two))
    const services = new Services().set(One, 10)
    expect([services.get(Sum), services.get(Two), services.get(Two), made]).toEqual([11, 1, 1, 1])
  })

  it("that are missing are named", () => {
    expect(() => new Services().get(defineService("db"))).toThrow('there is no service "db"')
  })
})

describe("a definition that is none", () => {
  const whole = { id: "a", name: "A", input: z.object({}), output: z.null(), execute: () => null }

  it.each([
    [undefined, "needs an id"],
    [{ ...whole, id: "" }, "needs an id"],
    [{ ...whole, input: { type: "object" } }, 'The tool "a" needs an input'],
    [{ ...whole, output: undefined }, 'The tool "a" needs an output'],
    [{ ...whole, execute: undefined }, "function `execute`"],
  ])("is refused when the tool is made, not when it is called: %#", (definition, text) => {
    expect(() => defineTool(definition as never)).toThrow(text)
    expect(() => defineTool(definition as never)).toThrow(TypeError)
  })

  it.each([{}, { providers: [{}] }, { providers: [{ id: "p" }] }])("is no provider either: %j", (options) => {
    expect(() => new ProviderRegistry(options as never)).toThrow(TypeError)
  })
})
