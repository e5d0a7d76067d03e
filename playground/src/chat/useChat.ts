import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai"
import { useEffect, useReducer, useRef } from "react"
import { chatReducer, type ChatTurn, messagesOf } from "./chatTurns.ts"

export interface ChatHandle {
  readonly turns: readonly ChatTurn[]
  readonly isStreaming: boolean
  send(this: void, text: string): void
  /** Stops the agent; what it calls right now is cancelled. */
  stop(this: void): void
  clear(this: void): void
}

/** A conversation with the agent of one session, streamed as the `ai` package's UI messages. */
export function useChat(sessionId: string | null, clientName: string | undefined): ChatHandle {
  const [turns, dispatch] = useReducer(chatReducer, [])
  const running = useRef<AbortController | null>(null)
  // Hidden or gone, nobody reads what would come.
  useEffect(() => () => running.current?.abort(), [])

  const isStreaming = turns.at(-1)?.status === "streaming"

  async function run(text: string, api: string): Promise<void> {
    const id = crypto.randomUUID()
    const controller = new AbortController()
    const { signal } = controller
    running.current = controller
    const asked = { type: "asked", id, text, at: Date.now() } as const
    dispatch(asked)
    const end = (status: "done" | "stopped" | "failed", error?: string): void =>
      dispatch({ type: "ended", id, status, at: Date.now(), ...(error !== undefined && { error }) })
    try {
      const transport = new DefaultChatTransport<UIMessage>({ api, body: { clientName } })
      const stream = await transport.sendMessages({
        trigger: "submit-message",
        chatId: id,
        messageId: undefined,
        messages: messagesOf(chatReducer(turns, asked)),
        abortSignal: signal,
      })
      let failure: unknown
      for await (const answer of readUIMessageStream({ stream, onError: (error) => (failure ??= error) })) dispatch({ type: "answering", id, answer })
      if (signal.aborted) end("stopped")
      else if (failure !== undefined) end("failed", messageOf(failure))
      else end("done")
    } catch (error) {
      if (signal.aborted) end("stopped")
      else end("failed", messageOf(error))
    }
  }

  return {
    turns,
    isStreaming,
    send(text) {
      if (sessionId === null || isStreaming) return
      void run(text, `/playground/sessions/${encodeURIComponent(sessionId)}/chat`)
    },
    stop: () => running.current?.abort(),
    clear() {
      running.current?.abort()
      dispatch({ type: "cleared" })
    },
  }
}

/** The server's own words, where its error holds some. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  try {
    return (JSON.parse(text) as { error: { message: string } }).error.message
  } catch {
    return text
  }
}
