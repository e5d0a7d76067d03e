import type { UIMessage } from "ai"

/** What a person said, and what became of it. Times are milliseconds since the epoch. */
export interface ChatTurn {
  readonly id: string
  readonly question: UIMessage
  /** Grows while it is streamed; undefined until it begins. */
  readonly answer: UIMessage | undefined
  readonly status: "streaming" | "done" | "stopped" | "failed"
  readonly error: string | undefined
  readonly startedAt: number
  readonly endedAt: number | undefined
}

export type ChatAction =
  | { readonly type: "asked"; readonly id: string; readonly text: string; readonly at: number }
  | { readonly type: "answering"; readonly id: string; readonly answer: UIMessage }
  | { readonly type: "ended"; readonly id: string; readonly status: Exclude<ChatTurn["status"], "streaming">; readonly error?: string; readonly at: number }
  | { readonly type: "cleared" }

function change(turns: readonly ChatTurn[], id: string, next: Partial<ChatTurn>): readonly ChatTurn[] {
  return turns.map((turn) => (turn.id === id ? { ...turn, ...next } : turn))
}

export function chatReducer(turns: readonly ChatTurn[], action: ChatAction): readonly ChatTurn[] {
  switch (action.type) {
    case "asked": {
      const { id, text, at } = action
      const question: UIMessage = { id: `${id}-question`, role: "user", parts: [{ type: "text", text }] }
      return [...turns, { id, question, answer: undefined, status: "streaming", error: undefined, startedAt: at, endedAt: undefined }]
    }
    case "answering":
      return change(turns, action.id, { answer: action.answer })
    case "ended":
      return change(turns, action.id, { status: action.status, error: action.error, endedAt: action.at })
    case "cleared":
      return []
    default:
      return action satisfies never
  }
}

/** The conversation as the agent is told it. */
export const messagesOf = (turns: readonly ChatTurn[]): UIMessage[] =>
  turns.flatMap(({ question, answer }) => (answer && answer.parts.length > 0 ? [question, answer] : [question]))
