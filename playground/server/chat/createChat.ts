import { convertToModelMessages, safeValidateUIMessages, stepCountIs, streamText, type UIMessage } from "ai"
import { z } from "zod"
import { sessionTools, ToolError } from "../../../src/server/aiSdk/index.ts"
import type { SessionServer } from "../../../src/server/index.ts"
import type { ChatModel } from "./chatModel.ts"

/** How often the model is asked for one message of the person. */
const MAX_STEPS = 12

const ChatRequest = z.object({
  messages: z.array(z.unknown()).min(1),
  /** The tool client of the page that the person looks at. */
  clientName: z.string().min(1),
})

export interface Chat {
  /** Streams the agent's answer as the `ai` package's UI messages; aborting the request stops the agent and cancels its calls. */
  answer(sessionId: string, request: Request): Promise<Response>
}

const refuse = (status: number, message: string): Response => Response.json({ error: { code: "refused", message } }, { status })

const systemOf = (clientName: string): string =>
  [
    "You help a person with the page in front of them, by its tools. Be brief.",
    `The tools of that page begin with client__${clientName}__; prefer them to those of other tabs.`,
    "Some ask the person before they act, who may refuse: say so then, and do not try again.",
  ].join("\n")

/** A working agent for each message: the session's tools, a model, and a loop that ends when nothing more is called. */
export function createChat(sessions: SessionServer, { model }: ChatModel): Chat {
  /** Runs of each session: the pages are told that the agent works while there is one. */
  const runs = new Map<string, number>()

  async function count(sessionId: string, change: 1 | -1): Promise<void> {
    const left = (runs.get(sessionId) ?? 0) + change
    if (left > 0) runs.set(sessionId, left)
    else runs.delete(sessionId)
    // A session that has ended in the meantime need not be told.
    await sessions.setRunning(sessionId, left > 0).catch(() => {})
  }

  return {
    async answer(sessionId, request) {
      const body = ChatRequest.safeParse(await request.json().catch(() => undefined))
      if (!body.success) return refuse(400, z.prettifyError(body.error))
      const read = await safeValidateUIMessages<UIMessage>({ messages: body.data.messages })
      if (!read.success) return refuse(400, read.error.message)
      const live = await sessionTools(sessions, sessionId).catch((error: Error) => error)
      if (live instanceof Error) return refuse(404, live.message)
      const { clientName } = body.data
      let isOver = false
      const end = (): void => {
        if (isOver) return
        isOver = true
        live.close()
        void count(sessionId, -1)
      }
      await count(sessionId, 1)
      const result = streamText({
        model: model(clientName),
        system: systemOf(clientName),
        // What was stopped half-way has calls without an answer, which no model takes.
        messages: await convertToModelMessages(read.data, { ignoreIncompleteToolCalls: true }),
        tools: live.tools,
        prepareStep: live.prepareStep,
        stopWhen: stepCountIs(MAX_STEPS),
        abortSignal: request.signal,
        onFinish: end,
        onAbort: end,
        onError: end,
      })
      return result.toUIMessageStreamResponse({ onError: (error) => (error instanceof ToolError ? error.message : `The model failed: ${String(error)}`) })
    },
  }
}
