import { MockLanguageModelV3 } from "ai/test"

/** What the model says at one step: words, or calls of tools. */
export type Step = string | readonly { readonly tool: string; readonly input: unknown }[]

type Prompt = MockLanguageModelV3["doGenerateCalls"][number]["prompt"]

/** A model that says one step after the other, and remembers what it was asked. */
export function scriptedModel(...steps: Step[]): MockLanguageModelV3 {
  let calls = 0
  let asked = 0
  return new MockLanguageModelV3({
    doGenerate: async ({ abortSignal }) => {
      abortSignal?.throwIfAborted()
      const step = steps[asked++]
      if (step === undefined) throw new Error(`the model was asked ${asked} times`)
      const content =
        typeof step === "string"
          ? [{ type: "text" as const, text: step }]
          : step.map(({ tool, input }) => ({ type: "tool-call" as const, toolCallId: `call-${++calls}`, toolName: tool, input: JSON.stringify(input) }))
      return {
        content,
        finishReason: { unified: typeof step === "string" ? ("stop" as const) : ("tool-calls" as const), raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      }
    },
  })
}

/** What the tools answered, as the model was told it when it was asked last. */
export function toolResults(model: MockLanguageModelV3): unknown[] {
  const prompt: Prompt = model.doGenerateCalls.at(-1)?.prompt ?? []
  return prompt.flatMap(({ role, content }) => (role === "tool" ? content.flatMap((part) => (part.type === "tool-result" ? [part.output] : [])) : []))
}
