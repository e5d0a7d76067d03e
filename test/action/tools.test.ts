import { createItemStore, ToolError, ToolInterrupt } from "react-tool-client/tools"
import { describe, expect, it } from "vitest"
import { MAPS, quiet, rejection, toolOf } from "./support/maps.ts"

describe.each(MAPS)("a map of tools $where", ({ create }) => {
  const setUp = async () => {
    const { tools, seen } = await create()
    const run = (name: string, input: unknown, context = {}) => toolOf(tools, name).execute(input, { logger: quiet, ...context })
    return { tools, seen, run }
  }

  it("has the names and the ids of the registry", async () => {
    const { tools } = await setUp()
    expect(Object.entries(tools).map(([key, { id, name }]) => [key, id, name])).toEqual([
      ["demoAdd", "demo.add", "Add"],
      ["demoShout", "demo.shout", "Shout"],
      ["demoBuy", "demo.buy", "Buy"],
      ["demoRemember", "demo.remember", "Remember"],
      ["demoFail", "demo.fail", "Fail"],
      ["demoLie", "demo.lie", "Lie"],
      ["demoWait", "demo.wait", "Wait"],
      ["demoEcho", "demo.echo", "Echo"],
      ["demoGive", "demo.give", "Give"],
    ])
    expect(tools.demoAdd?.description).toBe("Adds two numbers.")
  })

  it("gives results, with the defaults of the input filled in", async () => {
    const { run, seen } = await setUp()
    expect(await run("demoAdd", { a: 1, b: 2 })).toEqual({ sum: 3 })
    expect(await run("demoAdd", { a: 1 })).toEqual({ sum: 11 })
    expect(seen.calls.map(({ input }) => input)).toEqual([
      { a: 1, b: 2 },
      { a: 1, b: 10 },
    ])
  })

  it("transforms an input once", async () => {
    const { run } = await setUp()
    expect(await run("demoShout", { text: "four" })).toEqual({ times: 4 })
  })

  it.each([null, 0, "", [], {}, [1, { a: null }], JSON.parse('{"__proto__":1}')])("carries the value %j", async (value) => {
    const { run } = await setUp()
    expect(JSON.stringify(await run("demoEcho", { value }))).toBe(JSON.stringify(value))
  })

  it("gives what JSON makes of a result, of an input and of an interrupt", async () => {
    const { run } = await setUp()
    expect(await run("demoGive", { what: "date" })).toStrictEqual({ when: "1970-01-01T00:00:00.000Z", list: [null, "1970-01-01T00:00:00.000Z"] })
    expect(await run("demoEcho", { value: { when: new Date(0), gone: undefined } })).toStrictEqual({ when: "1970-01-01T00:00:00.000Z" })
    const { data, state } = (await rejection(run("demoGive", { what: "question" }))) as ToolInterrupt
    expect({ data, state }).toStrictEqual({ data: { when: "1970-01-01T00:00:00.000Z" }, state: { when: "1970-01-01T00:00:00.000Z" } })
  })

  it("is resumed with what JSON makes of the answer", async () => {
    const { run } = await setUp()
    const { state } = (await rejection(run("demoBuy", { thing: "tea" }))) as ToolInterrupt
    const answer = { toJSON: () => "Ann" }
    expect(await run("demoBuy", { thing: "tea" }, { resumption: { state, answer } })).toEqual({ bought: "tea#1", by: "Ann" })
    expect(await rejection(run("demoBuy", { thing: "tea" }, { resumption: { state, answer: 1n } }))).toMatchObject({
      code: "invalid_input",
      issues: [{ path: ["resumption", "answer"] }],
    })
  })

  it("refuses what JSON cannot say, with the path", async () => {
    const { run } = await setUp()
    const where = (path: readonly (string | number)[]) => ({ issues: [{ path, message: expect.stringContaining("is not JSON") }] })
    expect(await rejection(run("demoGive", { what: "map" }))).toMatchObject({ code: "invalid_output", tool: "demo.give", ...where(["result", "list", 1]) })
    expect(await rejection(run("demoGive", { what: "count" }))).toMatchObject({ code: "invalid_output", tool: "demo.give", ...where(["state", "count"]) })
    expect(await rejection(run("demoEcho", { value: 1n }))).toMatchObject({ code: "invalid_input", tool: "demo.echo", ...where(["input", "value"]) })
  })

  it("shares no object with the caller", async () => {
    const { run } = await setUp()
    const value = { list: [1] }
    const result = (await run("demoEcho", { value })) as typeof value
    result.list.push(2)
    expect({ value, result }).toEqual({ value: { list: [1] }, result: { list: [1, 2] } })
  })

  it("refuses an input with the tool and the path, and runs nothing", async () => {
    const { run, seen } = await setUp()
    const error = await rejection(run("demoAdd", { a: "one" }))
    expect(error).toBeInstanceOf(ToolError)
    expect(error).toMatchObject({ code: "invalid_input", tool: "demo.add", issues: [{ path: ["a"], message: expect.stringContaining("number") }] })
    expect((error as ToolError).message).toContain('Tool "demo.add": its input was refused: a: ')
    expect(seen.calls).toEqual([])
  })

  it("refuses an output that breaks its schema, with the path", async () => {
    const { run } = await setUp()
    expect(await rejection(run("demoLie", {}))).toMatchObject({ code: "invalid_output", tool: "demo.lie", issues: [{ path: ["list", 1, "n"] }] })
  })

  it("says what a tool threw, and keeps what it emitted before", async () => {
    const { run } = await setUp()
    const items = createItemStore()
    const error = await rejection(run("demoFail", {}, { items }))
    expect(error).toBeInstanceOf(ToolError)
    expect(error).toMatchObject({ code: "failed", tool: "demo.fail", message: 'Tool "demo.fail": the disk is full: ENOSPC' })
    expect(items.list()).toEqual([{ type: "note", text: "about to fail" }])
  })

  it("interrupts with message, data and state, and goes on where it was with the answer", async () => {
    const { run } = await setUp()
    const items = createItemStore()
    const interrupt = await rejection(run("demoBuy", { thing: "tea" }, { items }))
    expect(interrupt).toBeInstanceOf(ToolInterrupt)
    const { message, data, state } = interrupt as ToolInterrupt
    expect({ message, data, state }).toEqual({ message: "Buy tea?", data: { price: 3 }, state: { thing: "tea", step: 1 } })
    expect(items.latest("question")).toEqual({ type: "question", thing: "tea" })
    expect(await run("demoBuy", { thing: "tea" }, { items, resumption: { state, answer: "Ann" } })).toEqual({ bought: "tea#1", by: "Ann" })
  })

  it("reads the conversation's items and adds to them", async () => {
    const { run } = await setUp()
    const items = createItemStore([{ type: "other" }, { type: "note", text: "first" }])
    expect(await run("demoRemember", { text: "second" }, { items })).toEqual({ before: "first", count: 3 })
    expect(await run("demoRemember", { text: "third" }, { items })).toEqual({ before: "second", count: 4 })
    expect(items.list("note").map(({ text }) => text)).toEqual(["first", "second", "third"])
    expect(items.emitted()).toHaveLength(2)
  })

  it("aborts at the tool itself, and rejects at once", async () => {
    const { run, seen } = await setUp()
    const controller = new AbortController()
    const begun = new Promise<void>((resolve) => Object.assign(seen, { onWaiting: resolve }))
    const running = rejection(run("demoWait", {}, { signal: controller.signal }))
    await begun
    const stopped = new Promise((resolve) => seen.waiting[0]?.addEventListener("abort", resolve))
    controller.abort(new Error("no longer needed"))
    const error = await running
    expect(error).toBeInstanceOf(ToolError)
    expect(error).toMatchObject({ code: "aborted", tool: "demo.wait", cause: { message: "no longer needed" } })
    await stopped
  })

  it("starts nothing with a signal that has aborted already", async () => {
    const { run, seen } = await setUp()
    expect(await rejection(run("demoAdd", { a: 1 }, { signal: AbortSignal.abort() }))).toMatchObject({ code: "aborted", tool: "demo.add" })
    expect(seen.calls).toEqual([])
  })
})
