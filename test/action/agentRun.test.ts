import { MockLanguageModelV3 } from "ai/test"
import { type AgentEvent, AgentRun, type AgentRunOptions, ToolError } from "react-tool-client/tools"
import { describe, expect, it } from "vitest"
import { turn } from "../../src/lib/turn.ts"
import { MAPS, quiet, rejection } from "./support/maps.ts"
import { scriptedModel, type Step, toolResults } from "./support/scriptedModel.ts"

describe.each(MAPS)("an agent whose actions run $where", ({ create }) => {
  const setUp = async (steps: Step[], options: Partial<AgentRunOptions> = {}) => {
    const { tools, seen } = await create()
    const model = scriptedModel(...steps)
    return { seen, model, tools, run: new AgentRun({ model, actions: tools, logger: quiet, ...options }) }
  }

  it("runs what the model calls, until it calls nothing more", async () => {
    const { run, model } = await setUp([
      [
        { tool: "demoAdd", input: { a: 1, b: 2 } },
        { tool: "demoAdd", input: { a: 3 } },
      ],
      [{ tool: "demoEcho", input: { value: "words" } }],
      "Done.",
    ])
    expect(await run.send("Add.")).toEqual({ status: "completed", text: "Done." })
    expect(toolResults(model)).toEqual([
      { type: "json", value: { sum: 3 } },
      { type: "json", value: { sum: 13 } },
      { type: "text", value: "words" },
    ])
  })

  it("tells the model of the tools by their keys, descriptions and schemas", async () => {
    const { run, model } = await setUp(["Hello."], { system: "Be brief." })
    await run.send("Hi.")
    const [{ tools, prompt } = { tools: [], prompt: [] }] = model.doGenerateCalls
    expect(prompt[0]).toMatchObject({ role: "system", content: "Be brief." })
    expect(tools?.find(({ name }) => name === "demoAdd")).toMatchObject({
      type: "function",
      description: "Adds two numbers.",
      inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number", default: 10 } }, required: ["a"] },
    })
  })

  it("tells the model what a tool refused and what it threw, and goes on", async () => {
    const { run, model } = await setUp([
      [
        { tool: "demoAdd", input: { a: "one" } },
        { tool: "demoFail", input: {} },
        { tool: "demoLie", input: {} },
      ],
      "Sorry.",
    ])
    expect(await run.send("Try.")).toEqual({ status: "completed", text: "Sorry." })
    expect(toolResults(model)).toEqual([
      { type: "error-text", value: expect.stringContaining('Tool "demo.add": its input was refused: a: ') },
      { type: "error-text", value: expect.stringContaining('Tool "demo.fail": the disk is full: ENOSPC') },
      { type: "error-text", value: expect.stringContaining("list[1].n") },
    ])
  })

  it("pauses at an interrupt, and resumes with the answer", async () => {
    const { run, model, seen } = await setUp([
      [
        { tool: "demoBuy", input: { thing: "tea" } },
        { tool: "demoAdd", input: { a: 1 } },
      ],
      "Bought.",
    ])
    expect(await run.send("Buy tea.")).toEqual({ status: "interrupted", tool: "demoBuy", message: "Buy tea?", data: { price: 3 } })
    expect(seen.calls.map(({ action }) => action).sort()).toEqual(["add", "buy"])
    expect(await rejection(run.send("And now?"))).toMatchObject({ code: "failed", tool: "demoBuy" })
    expect(await run.resume("Ann")).toEqual({ status: "completed", text: "Bought." })
    expect(toolResults(model)).toEqual([
      { type: "json", value: { bought: "tea#1", by: "Ann" } },
      { type: "json", value: { sum: 11 } },
    ])
    expect(await rejection(run.resume("Bob"))).toMatchObject({ code: "failed", message: expect.stringContaining("is not waiting for an answer") })
  })

  it("resumes in another run that was made of the stored transcript", async () => {
    const { run, tools } = await setUp([[{ tool: "demoBuy", input: { thing: "tea" } }]])
    await run.send("Buy tea.")
    const stored = JSON.stringify(run.transcript)
    const model = scriptedModel("Bought.")
    const later = new AgentRun({ model, actions: tools, logger: quiet, transcript: JSON.parse(stored) })
    expect(await later.resume("Ann")).toEqual({ status: "completed", text: "Bought." })
    expect(toolResults(model)).toEqual([{ type: "json", value: { bought: "tea#1", by: "Ann" } }])
  })

  it("keeps the conversation's items in its transcript", async () => {
    const { run, model } = await setUp([
      [
        { tool: "demoRemember", input: { text: "second" } },
        { tool: "demoFail", input: {} },
      ],
      "Noted.",
    ])
    run.items.emit({ type: "note", text: "first" })
    await run.send("Remember.")
    expect(toolResults(model)[0]).toEqual({ type: "json", value: { before: "first", count: 2 } })
    expect(run.items.list("note").map(({ text }) => text)).toEqual(["first", "second", "about to fail"])
    expect(run.transcript.map(({ type }) => type)).toEqual(["item", "message", "message", "item", "item", "message", "message", "message"])
  })

  it("aborts the tool that runs, and can be talked to after that", async () => {
    const { run, seen, model } = await setUp([[{ tool: "demoWait", input: {} }], "Still here."])
    const controller = new AbortController()
    const begun = new Promise<void>((resolve) => Object.assign(seen, { onWaiting: resolve }))
    const running = rejection(run.send("Wait.", { signal: controller.signal }))
    await begun
    expect(await rejection(run.send("Hurry!"))).toMatchObject({ code: "failed", message: expect.stringContaining("in progress") })
    const stopped = new Promise((resolve) => seen.waiting[0]?.addEventListener("abort", resolve))
    controller.abort(new Error("enough"))
    expect(await running).toMatchObject({ code: "aborted", tool: "demo.wait", cause: { message: "enough" } })
    await stopped
    expect(await run.send("Are you there?")).toEqual({ status: "completed", text: "Still here." })
    expect(toolResults(model)).toEqual([{ type: "error-text", value: "The call was given up; it may have run." }])
  })

  it("runs what the model calls in one step side by side, and tells it the results in the order of its calls", async () => {
    const { run, seen, model } = await setUp([
      [
        { tool: "demoWait", input: {} },
        { tool: "demoAdd", input: { a: 1 } },
        { tool: "demoWait", input: {} },
      ],
      "Done.",
    ])
    const events: AgentEvent[] = []
    const controller = new AbortController()
    const running = rejection(run.send("Wait, and add.", { signal: controller.signal, onEvent: (event) => void events.push(event) }))
    while (seen.waiting.length < 2 || !events.some(({ type }) => type === "tool-result")) await turn()
    controller.abort(new Error("enough"))
    expect(await running).toMatchObject({ code: "aborted" })
    expect(await run.send("Well?", { onEvent() {} })).toEqual({ status: "completed", text: "Done." })
    // What was through before the abort stays.
    const givenUp = { type: "error-text", value: "The call was given up; it may have run." }
    expect(toolResults(model)).toEqual([givenUp, { type: "json", value: { sum: 11 } }, givenUp])
  })

  it("asks for each answer in turn where several calls of one step wait for somebody", async () => {
    const { run, model } = await setUp([
      [
        { tool: "demoBuy", input: { thing: "tea" } },
        { tool: "demoAdd", input: { a: 1 } },
        { tool: "demoBuy", input: { thing: "cups" } },
      ],
      "Bought.",
    ])
    expect(await run.send("Buy.")).toMatchObject({ status: "interrupted", message: "Buy tea?" })
    expect(await run.resume("Ann")).toMatchObject({ status: "interrupted", message: "Buy cups?" })
    expect(await run.resume("Bob")).toEqual({ status: "completed", text: "Bought." })
    expect(toolResults(model)).toEqual([
      { type: "json", value: { bought: "tea#1", by: "Ann" } },
      { type: "json", value: { sum: 11 } },
      { type: "json", value: { bought: "cups#1", by: "Bob" } },
    ])
  })

  it("runs one call after the other when told to, and none past one that waits", async () => {
    const { run, model, seen } = await setUp(
      [
        [
          { tool: "demoRemember", input: { text: "first" } },
          { tool: "demoRemember", input: { text: "second" } },
          { tool: "demoBuy", input: { thing: "tea" } },
          { tool: "demoAdd", input: { a: 1 } },
        ],
        "Done.",
      ],
      { concurrency: "serial" },
    )
    expect(await run.send("Go.")).toMatchObject({ status: "interrupted", message: "Buy tea?" })
    expect(seen.calls.map(({ action }) => action)).toEqual(["buy"])
    expect(await run.resume("Ann")).toEqual({ status: "completed", text: "Done." })
    expect(toolResults(model)).toEqual([
      { type: "json", value: { before: null, count: 1 } },
      { type: "json", value: { before: "first", count: 2 } },
      { type: "json", value: { bought: "tea#1", by: "Ann" } },
      { type: "json", value: { sum: 11 } },
    ])
  })

  it("tells what happens as it happens: words, calls, results and interrupts", async () => {
    const { run } = await setUp([[{ tool: "demoAdd", input: { a: 1 } }], [{ tool: "demoBuy", input: { thing: "tea" } }], "All is done."])
    const events: AgentEvent[] = []
    const onEvent = (event: AgentEvent): void => {
      events.push(event)
      throw new Error("a listener's own fault")
    }
    expect(await run.send("Go.", { onEvent })).toMatchObject({ status: "interrupted" })
    expect(await run.resume("Ann", { onEvent })).toEqual({ status: "completed", text: "All is done." })
    const added = { toolCallId: "call-1", toolName: "demoAdd" }
    const bought = { toolCallId: "call-2", toolName: "demoBuy" }
    expect(events).toEqual([
      { type: "tool-call", ...added, input: { a: 1 } },
      { type: "tool-result", ...added, output: { type: "json", value: { sum: 11 } } },
      { type: "tool-call", ...bought, input: { thing: "tea" } },
      { type: "interrupt", ...bought, message: "Buy tea?", data: { price: 3 } },
      { type: "tool-call", ...bought, input: { thing: "tea" } },
      { type: "tool-result", ...bought, output: { type: "json", value: { bought: "tea#1", by: "Ann" } } },
      { type: "text", text: "All " },
      { type: "text", text: "is " },
      { type: "text", text: "done." },
    ])
  })

  it("tells the model of a tool that is none", async () => {
    const { run, model } = await setUp([[{ tool: "demoFly", input: {} }], "I cannot."])
    expect(await run.send("Fly.")).toEqual({ status: "completed", text: "I cannot." })
    expect(toolResults(model)).toEqual([{ type: "error-text", value: expect.stringContaining("demoFly") }])
  })
})

describe("an agent's run", () => {
  it("gives up on a model that calls for ever", async () => {
    const call: Step = [{ tool: "x", input: {} }]
    const run = new AgentRun({ model: scriptedModel(call, call, call), actions: {}, maxSteps: 2, logger: quiet })
    expect(await rejection(run.send("Go."))).toMatchObject({ code: "limit", message: expect.stringContaining("2 times") })
  })

  it("says that the model could not be asked", async () => {
    const run = new AgentRun({ model: scriptedModel(), actions: {}, logger: quiet })
    const error = await rejection(run.send("Go."))
    expect(error).toBeInstanceOf(ToolError)
    expect(error).toMatchObject({ code: "failed", message: expect.stringContaining("the model was asked 1 times") })
  })

  it.each([
    ["throws", () => Promise.reject(new Error("no credit"))],
    [
      "breaks off",
      () =>
        Promise.resolve({
          stream: new ReadableStream({
            start(controller) {
              controller.enqueue({ type: "stream-start", warnings: [] })
              controller.enqueue({ type: "error", error: new Error("no credit") })
              controller.close()
            },
          }),
        }),
    ],
  ])("says that a model that streams could not be asked: it %s", async (_how, doStream) => {
    const run = new AgentRun({ model: new MockLanguageModelV3({ doStream: doStream as never }), actions: {}, logger: quiet })
    expect(await rejection(run.send("Go.", { onEvent() {} }))).toMatchObject({ code: "failed", message: expect.stringContaining("no credit") })
  })

  it("is given up while a model that streams is asked", async () => {
    const run = new AgentRun({ model: scriptedModel("Never."), actions: {}, logger: quiet })
    const signal = AbortSignal.abort(new Error("enough"))
    expect(await rejection(run.send("Go.", { signal, onEvent() {} }))).toMatchObject({ code: "aborted" })
  })

  it("is given up while the model is asked", async () => {
    const run = new AgentRun({ model: scriptedModel("Never."), actions: {}, logger: quiet })
    expect(await rejection(run.send("Go.", { signal: AbortSignal.abort(new Error("enough")) }))).toMatchObject({ code: "aborted" })
  })
})
