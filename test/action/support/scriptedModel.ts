import { simulateReadableStream } from "ai"
import { MockLanguageModelV3 } from "ai/test"

/** What the model says at one step: words, or calls of tools. */
export type Step = string | readonly { readonly tool: string; readonly input: unknown }[]

type Prompt = MockLanguageModelV3["doGenerateCalls"][number]["prompt"]

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** A model that says one step after the other, at once or word by word, and remembers what it was asked. */
export function scriptedModel(...steps: Step[]): MockLanguageModelV3 {
  let calls = 0
  let asked = 0
  function next(signal: AbortSignal | undefined) {
    signal?.throwIfAborted()
    const step = steps[asked++]
    if (step === undefined) throw new Error(`the model was asked ${asked} times`)
    const toolCalls =
      typeof step === "string"
        ? []
        : step.map(({ tool, input }) => ({ type: "tool-call" as const, toolCallId: `call-${++calls}`, toolName: tool, input: JSON.stringify(input) }))
    const finishReason = { unified: typeof step === "string" ? ("stop" as const) : ("tool-calls" as const), raw: undefined }
    return { text: typeof step === "string" ? step : undefined, toolCalls, finishReason }
  }
  return new MockLanguageModelV3({
    doGenerate: async ({ abortSignal }) => {
      const { text, toolCalls, finishReason } = next(abortSignal)
      return { content: text === undefined ? toolCalls : [{ type: "text", text }], finishReason, usage: USAGE, warnings: [] }
    },
    doStream: async ({ abortSignal }) => {
      const { text, toolCalls, finishReason } = next(abortSignal)
      const deltas = (text?.match(/\S+\s*/g) ?? []).map((delta) => ({ type: "text-delta" as const, id: "text", delta }))
      return {
        stream: simulateReadableStream({
          initialDelayInMs: null,
          chunkDelayInMs: null,
          chunks: [
            { type: "stream-start" as const, warnings: [] },
            ...(text === undefined ? toolCalls : [{ type: "text-start" as const, id: "text" }, ...deltas, { type: "text-end" as const, id: "text" }]),
            { type: "finish" as const, finishReason, usage: USAGE },
          ],
        }),
      }
    },
  })
}

/** What the tools answered, as the model was told it when it was asked last. */
export function toolResults(model: MockLanguageModelV3): unknown[] {
  const prompt: Prompt = [...model.doGenerateCalls, ...model.doStreamCalls].at(-1)?.prompt ?? []
  return prompt.flatMap(({ role, content }) => (role === "tool" ? content.flatMap((part) => (part.type === "tool-result" ? [part.output] : [])) : []))
}
