import { generateText, simulateReadableStream, stepCountIs, streamText, tool, ToolLoopAgent, type ToolSet } from "ai"
import { MockLanguageModelV3 } from "ai/test"
import { expect, test, vi } from "vitest"
import { z } from "zod"
import { collectGarbage } from "../../../test/faults/collectGarbage.ts"
import { scriptedModel, toolResults } from "../../../test/action/support/scriptedModel.ts"
import { createHarness } from "../../../test/server/support/createHarness.ts"
import { aTool } from "../../../test/server/support/createPage.ts"
import { createDeferred } from "../../lib/deferred.ts"
import { turn } from "../../lib/turn.ts"
import { ToolError } from "../../action/toolError.ts"
import { SessionServerError } from "../sessionServerError.ts"
import type { AgentServer } from "../agentToolSource.ts"
import { sessionTools } from "./liveTools.ts"

/** What the model was offered at each step. */
const offers = (model: MockLanguageModelV3): string[][] => model.doGenerateCalls.map(({ tools = [] }) => tools.map(({ name }) => name))

const call = (name: string, input: unknown = {}) => [{ tool: name, input }]

/** A page that answers each call as it is told to. */
async function createBench() {
  const harness = await createHarness()
  const { server, sessionId, page, serving } = harness
  const { events, id } = await serving({ lifetime: { type: "never" } })
  return {
    ...harness,
    clientId: id,
    events,
    live: (options?: Parameters<typeof sessionTools>[2]) => sessionTools(server, sessionId, options),
    /** Answers the calls that come next, one after the other. */
    async answering(...answers: ((args: unknown) => Promise<{ text: string; is_error?: boolean }> | { text: string; is_error?: boolean })[]) {
      for (const answer of answers) {
        const { call_id, arguments: args } = await events.nextOf("tool_call.dispatched")
        await page.answer(id, call_id, await answer(args))
      }
    },
  }
}

test("The model is offered the page's tools as the page describes them, and given the answer's text word for word.", async () => {
  const { page, clientId, live, answering } = await createBench()
  const parameters = { type: "object", properties: { title: { type: "string" } }, required: ["title"] }
  await page.update(clientId, 1, [aTool("add", { parameters, title: "Add", annotations: { idempotentHint: true } })])
  const { tools, prepareStep } = await live()
  const model = scriptedModel(call("client__web__add", { title: "milk" }), "Done.")
  const seen: unknown[] = []
  const page_ = answering((args) => (seen.push(args), { text: '{"quoted": "as it is"}' }))
  const result = await generateText({ model, prompt: "Add milk.", tools, prepareStep, stopWhen: stepCountIs(5) })
  await page_
  expect(result.text).toBe("Done.")
  expect(seen).toEqual([{ title: "milk" }])
  expect(model.doGenerateCalls[0]?.tools).toMatchObject([{ type: "function", name: "client__web__add", description: "Does add.", inputSchema: parameters }])
  expect(toolResults(model)).toEqual([{ type: "text", value: '{"quoted": "as it is"}' }])
  expect(result.steps[0]?.toolCalls[0]).toMatchObject({ dynamic: true, title: "Add", toolMetadata: { annotations: { idempotentHint: true } } })
})

test("A tool that appears in step 2 is offered in step 2, and one that goes is not.", async () => {
  const { page, clientId, live, answering } = await createBench()
  const { tools, prepareStep } = await live()
  const model = scriptedModel(call("client__web__add"), call("client__web__remove"), "Done.")
  const served = answering(
    async () => {
      await page.update(clientId, 1, [aTool("remove"), aTool("clear")])
      return { text: "added" }
    },
    async () => {
      await page.update(clientId, 2, [])
      return { text: "removed" }
    },
  )
  await generateText({ model, prompt: "Go on.", tools, prepareStep, stopWhen: stepCountIs(5) })
  await served
  expect(offers(model)).toEqual([["client__web__add"], ["client__web__remove", "client__web__clear"], []])
  expect(toolResults(model).map((output) => (output as { value: string }).value)).toEqual(["added", "removed"])
})

test("The server keeps the object true without `prepareStep` too, until it is closed.", async () => {
  const { page, clientId, live, settle } = await createBench()
  const { tools, close } = await live()
  expect(Object.keys(tools)).toEqual(["client__web__add"])
  await page.update(clientId, 1, [aTool("b"), aTool("add"), aTool("a")])
  await settle()
  expect(Object.keys(tools)).toEqual(["client__web__b", "client__web__add", "client__web__a"])
  close()
  await page.update(clientId, 2, [])
  await settle()
  expect(Object.keys(tools)).toHaveLength(3)
})

test("A loop that streams is offered what is there at each step.", async () => {
  const { page, clientId, live, answering } = await createBench()
  const { tools, prepareStep } = await live()
  const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
  let step = 0
  const model = new MockLanguageModelV3({
    doStream: () => {
      const said =
        step++ === 0
          ? [{ type: "tool-call" as const, toolCallId: "1", toolName: "client__web__add", input: "{}" }]
          : [{ type: "text-start" as const, id: "t" }, { type: "text-delta" as const, id: "t", delta: "Done." }, { type: "text-end" as const, id: "t" }]
      const finishReason = { unified: step === 1 ? ("tool-calls" as const) : ("stop" as const), raw: undefined }
      const chunks = [{ type: "stream-start" as const, warnings: [] }, ...said, { type: "finish" as const, finishReason, usage }]
      return Promise.resolve({ stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) })
    },
  })
  const served = answering(async () => {
    await page.update(clientId, 1, [aTool("remove")])
    return { text: "added" }
  })
  expect(await streamText({ model, prompt: "Go on.", tools, prepareStep, stopWhen: stepCountIs(5) }).text).toBe("Done.")
  await served
  expect(model.doStreamCalls.map(({ tools: offered }) => offered?.map(({ name }) => name))).toEqual([["client__web__add"], ["client__web__remove"]])
})

test("An agent object of the package takes the same two.", async () => {
  const { live, answering } = await createBench()
  const { tools, prepareStep } = await live()
  const model = scriptedModel(call("client__web__add"), "Done.")
  const served = answering(() => ({ text: "added" }))
  const agent: ToolLoopAgent<never, ToolSet> = new ToolLoopAgent({ model, tools, prepareStep })
  expect((await agent.generate({ prompt: "Go on." })).text).toBe("Done.")
  await served
})

test("An error answer reaches the model as an error, word for word, and the loop goes on.", async () => {
  const { live, answering } = await createBench()
  const { tools, prepareStep } = await live()
  const text = 'The arguments were refused.\n- title: "x" is too short'
  const model = scriptedModel(call("client__web__add"), "I see.")
  const served = answering(() => ({ text, is_error: true }))
  const { steps } = await generateText({ model, prompt: "Go on.", tools, prepareStep, stopWhen: stepCountIs(5) })
  await served
  expect(toolResults(model)).toEqual([{ type: "error-text", value: text }])
  expect(steps[0]?.content.at(-1)).toMatchObject({ type: "tool-error", error: new ToolError("failed", "", text) })
})

test("A call of a tool that went while the model was thinking is answered with an error that lists what is offered.", async () => {
  const { page, clientId, live, settle, sessionId } = await createBench()
  const { tools, prepareStep } = await live()
  const model = scriptedModel(call("client__web__add"), call("client__web__add"), "I see.")
  const think = model.doGenerate
  model.doGenerate = async (options) => {
    await page.update(clientId, 1, [aTool("remove")])
    await settle()
    return think(options)
  }
  const { text } = await generateText({ model, prompt: "Go on.", tools, prepareStep, stopWhen: stepCountIs(5) })
  expect(text).toBe("I see.")
  const [first, second] = toolResults(model)
  expect(first).toEqual({
    type: "error-text",
    value: `No tool "client__web__add" is offered in this session. Offered now: client__web__remove.`,
  })
  expect(second).toMatchObject({ type: "error-text", value: expect.stringMatching(/unavailable tool 'client__web__add'.*client__web__remove/) })
  expect(sessionId).toBeTruthy()
})

test("Calls of one step run in parallel.", async () => {
  const { page, clientId, events, live } = await createBench()
  const { tools, prepareStep } = await live()
  const model = scriptedModel([...call("client__web__add", { n: 1 }), ...call("client__web__add", { n: 2 })], "Done.")
  const run = generateText({ model, prompt: "Go on.", tools, prepareStep, stopWhen: stepCountIs(5) })
  const first = await events.nextOf("tool_call.dispatched")
  const second = await events.nextOf("tool_call.dispatched")
  await page.answer(clientId, second.call_id, { text: "second" })
  await page.answer(clientId, first.call_id, { text: "first" })
  await run
  expect(toolResults(model)).toMatchObject([{ value: "first" }, { value: "second" }])
})

test("Who asks hears of a call by the model's id and the session's while it runs, as the page does.", async () => {
  const { page, clientId, events, live } = await createBench()
  const heard = createDeferred<unknown>()
  const errors: unknown[] = []
  const { tools, prepareStep } = await live({
    onError: (error) => errors.push(error),
    onCall(told) {
      heard.resolve(told)
      throw new Error("The chat has a fault of its own.")
    },
  })
  const model = scriptedModel(call("client__web__add"), "Done.")
  const run = generateText({ model, prompt: "Go on.", tools, prepareStep, stopWhen: stepCountIs(5) })
  const { call_id } = await events.nextOf("tool_call.dispatched")
  const told = await heard.promise
  await page.answer(clientId, call_id, { text: "added" })
  const [toolCall] = (await run).steps[0]?.toolCalls ?? []
  expect(told).toEqual({ toolCallId: toolCall?.toolCallId, toolName: "client__web__add", callId: call_id })
  expect(errors).toEqual([new Error("The chat has a fault of its own.")])
})

test("The run's abort signal cancels its calls at the page.", async () => {
  const { page, clientId, events, live } = await createBench()
  const { tools, prepareStep } = await live()
  const controller = new AbortController()
  const model = scriptedModel(call("client__web__add"), "Done.")
  const run = generateText({ model, prompt: "Go on.", tools, prepareStep, stopWhen: stepCountIs(5), abortSignal: controller.signal })
  const { call_id } = await events.nextOf("tool_call.dispatched")
  controller.abort()
  expect(await events.nextOf("tool_call.cancelled")).toMatchObject({ call_id })
  await expect(run).rejects.toMatchObject({ name: "AbortError" })
  expect((await page.answer(clientId, call_id)).status).toBe(409)
})

test("The agent's own tools stand first and hide a tool of the page's with the same name.", async () => {
  const { page, clientId, live, settle } = await createBench()
  const search = tool({ description: "Searches.", inputSchema: z.object({}), execute: () => "found" })
  const hiding = tool({ description: "Hides.", inputSchema: z.object({}), execute: () => "mine" })
  const { tools, prepareStep } = await live({ tools: { search, client__web__hidden: hiding } })
  await page.update(clientId, 1, [aTool("hidden"), aTool("add")])
  await settle()
  await prepareStep()
  expect(Object.keys(tools)).toEqual(["search", "client__web__hidden", "client__web__add"])
  expect(tools.client__web__hidden).toBe(hiding)
})

test("A model that calls what every object has finds nothing.", async () => {
  const { live } = await createBench()
  const { tools, prepareStep } = await live()
  const model = scriptedModel(call("constructor"), call("__proto__"), "I see.")
  await generateText({ model, prompt: "Go on.", tools, prepareStep, stopWhen: stepCountIs(5) })
  expect(toolResults(model)).toMatchObject([{ type: "error-text" }, { type: "error-text" }])
})

test("Tools that cannot be read before a step stay those last known, and the error is told; of a session that is gone there are none.", async () => {
  const failure = new Error("no answer")
  let outcome: () => Promise<never[]> = () => Promise.resolve([])
  const known = { name: "client__web__add", description: "Adds.", parameters: { type: "object" } }
  const server: AgentServer = {
    tools: vi.fn(() => outcome()).mockResolvedValueOnce([known] as never[]),
    watchTools: () => () => {},
    callTool: () => Promise.reject(failure),
  }
  const errors: unknown[] = []
  const { tools, prepareStep } = await sessionTools(server, "s", { onError: (error) => errors.push(error) })
  outcome = () => Promise.reject(failure)
  expect(await prepareStep()).toEqual({})
  expect([Object.keys(tools), errors]).toEqual([["client__web__add"], [failure]])
  outcome = () => Promise.reject(new SessionServerError(404, "session_not_found", "There is no session."))
  await prepareStep()
  expect([Object.keys(tools), errors]).toEqual([[], [failure]])
})

test("Tools of a session that is not there are refused at once.", async () => {
  const { server } = await createBench()
  await expect(sessionTools(server, "elsewhere")).rejects.toMatchObject({ code: "session_not_found" })
})

test("A set that nobody holds any more ends its watch by itself.", async () => {
  const stop = vi.fn()
  const server: AgentServer = { tools: () => Promise.resolve([]), watchTools: () => stop, callTool: () => Promise.reject(new Error("unused")) }
  const held = await sessionTools(server, "s")
  await (async () => void (await sessionTools(server, "s")))()
  for (let turns = 0; turns < 50 && stop.mock.calls.length === 0; turns++) {
    await turn()
    collectGarbage()
  }
  expect(stop).toHaveBeenCalledTimes(1)
  expect(held.tools).toEqual({})
})
