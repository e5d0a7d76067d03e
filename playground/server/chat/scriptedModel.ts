import type { LanguageModel } from "ai"
import { replyTo } from "./scriptedReply.ts"
import { turnOf } from "./turn.ts"

type Model = Extract<LanguageModel, { readonly specificationVersion: "v3" }>
type Request = Parameters<Model["doStream"]>[0]
type Streamed = Awaited<ReturnType<Model["doStream"]>>["stream"]
type Part = Streamed extends ReadableStream<infer Chunk> ? Chunk : never

/** Between two words, as a model takes its time. Milliseconds. */
const WORD_MS = 25

const USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function* partsOf({ prompt, tools = [] }: Request, clientName: string): AsyncGenerator<Part, void> {
  yield { type: "stream-start", warnings: [] }
  const { text, calls = [] } = replyTo(turnOf(prompt, tools, clientName))
  const id = crypto.randomUUID()
  yield { type: "text-start", id }
  for (const delta of text.split(/(?<=\s)/)) {
    await pause(WORD_MS)
    yield { type: "text-delta", id, delta }
  }
  yield { type: "text-end", id }
  for (const { tool, input } of calls) {
    yield { type: "tool-call", toolCallId: crypto.randomUUID(), toolName: tool, input: JSON.stringify(input) }
  }
  yield { type: "finish", finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined }, usage: USAGE }
}

/** A stand-in for a model, which streams as one does: it knows some sentences by heart. */
export function createScriptedModel(clientName: string): Model {
  return {
    specificationVersion: "v3",
    provider: "playground",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("The scripted model only streams.")),
    doStream(request) {
      const parts = partsOf(request, clientName)
      const stream = new ReadableStream<Part>({
        async pull(controller) {
          try {
            request.abortSignal?.throwIfAborted()
            const next = await parts.next()
            if (next.done) controller.close()
            else controller.enqueue(next.value)
          } catch (error) {
            controller.error(error)
          }
        },
      })
      return Promise.resolve({ stream })
    },
  }
}
