import { generateText, type LanguageModel, stepCountIs, streamText, tool, ToolLoopAgent, type ToolSet } from "ai"
import { expectTypeOf, test } from "vitest"
import { z } from "zod"
import { connectSessionServer, type SessionServer } from "../index.ts"
import { type AgentToolSource, liveTools, type LiveTools, sessionTools, ToolError } from "./index.ts"

declare const server: SessionServer
declare const source: AgentToolSource
declare const model: LanguageModel

test("a session's tools are the package's own tool set", async () => {
  const { tools, prepareStep, close } = await sessionTools(server, "s")
  expectTypeOf(tools).toEqualTypeOf<ToolSet>()
  expectTypeOf(close).toEqualTypeOf<() => void>()
  const { text } = await generateText({ model, prompt: "", tools, prepareStep, stopWhen: stepCountIs(5) })
  expectTypeOf(text).toEqualTypeOf<string>()
  streamText({ model, prompt: "", tools, prepareStep })
  new ToolLoopAgent({ model, tools, prepareStep })
})

test("a step may be prepared further", async () => {
  const { tools, prepareStep } = await sessionTools(server, "s")
  await generateText({
    model,
    prompt: "",
    tools,
    prepareStep: async ({ stepNumber }) => ({ ...(await prepareStep()), ...(stepNumber > 3 && { toolChoice: "none" as const }) }),
  })
})

test("a server across HTTP, any other source, and the agent's own tools are taken too", () => {
  expectTypeOf(sessionTools(connectSessionServer({ url: "https://agents.example.com", apiKey: "key" }), "s")).resolves.toEqualTypeOf<LiveTools>()
  expectTypeOf(liveTools(source)).resolves.toEqualTypeOf<LiveTools>()
  const search = tool({ inputSchema: z.object({ query: z.string() }), execute: ({ query }) => query })
  void sessionTools(server, "s", { tools: { search }, onError: (error) => expectTypeOf(error).toBeUnknown() })
})

test("who hears of a call knows it by the model's id and the session's", () => {
  void sessionTools(server, "s", {
    onCall: (call) => expectTypeOf(call).toEqualTypeOf<{ readonly toolCallId: string; readonly toolName: string; readonly callId: string }>(),
  })
})

test("what is no server, session or tool set is refused", () => {
  // @ts-expect-error a session's id is needed
  void sessionTools(server)
  // @ts-expect-error a tool needs its schema
  void sessionTools(server, "s", { tools: { search: { execute: () => "" } } })
  // @ts-expect-error a URL alone is no server
  void sessionTools("https://agents.example.com", "s")
})

test("an error's code is one of a few", () => {
  const error: unknown = undefined
  if (error instanceof ToolError) expectTypeOf(error.code).extract<"not_found" | "aborted" | "failed">().toEqualTypeOf<"not_found" | "aborted" | "failed">()
})
