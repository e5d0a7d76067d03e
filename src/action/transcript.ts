import type { ModelMessage, ToolCallPart } from "ai"
import type { ToolItem, ToolItems } from "./items.ts"
import { itemOf } from "./items.ts"

/** One step of a conversation. All of it is JSON, so a conversation can be stored and gone on with elsewhere. */
export type TranscriptEntry =
  /** What the model reads: said by the person, by itself, or what a tool answered. */
  | { readonly type: "message"; readonly message: ModelMessage }
  /** What a tool, or whoever holds the conversation, put into it. */
  | { readonly type: "item"; readonly item: ToolItem }
  /** A tool waits for somebody; open until its call has a result. */
  | {
      readonly type: "interrupt"
      readonly toolCallId: string
      readonly toolName: string
      readonly message: string
      readonly data: unknown
      readonly state: unknown
    }

export type TranscriptInterrupt = Extract<TranscriptEntry, { readonly type: "interrupt" }>

/** Entries, and a face of them as a tool's items: what is emitted stands in the conversation where it happened. */
export interface Transcript {
  readonly entries: readonly TranscriptEntry[]
  readonly items: ToolItems
  add(entry: TranscriptEntry): void
  messages(): ModelMessage[]
  /** What the model called and no result stands for yet, in its order. */
  openCalls(): readonly ToolCallPart[]
  /** The interrupt of an open call; undefined when nothing waits. */
  openInterrupt(): TranscriptInterrupt | undefined
}

export function createTranscript(before: readonly TranscriptEntry[] = []): Transcript {
  const entries: TranscriptEntry[] = [...before]
  const list = (type?: string): readonly ToolItem[] =>
    entries.flatMap((entry) => (entry.type === "item" && (type === undefined || entry.item.type === type) ? [entry.item] : []))
  const messages = (): ModelMessage[] => entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []))

  function openCalls(): readonly ToolCallPart[] {
    const all = messages()
    const answered = new Set(all.flatMap(({ role, content }) => (role === "tool" ? content : [])).flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])))
    return all
      .flatMap(({ role, content }) => (role === "assistant" && typeof content !== "string" ? content : []))
      .flatMap((part) => (part.type === "tool-call" && !part.providerExecuted && !answered.has(part.toolCallId) ? [part] : []))
  }

  return {
    entries,
    items: {
      list,
      latest: (type) => list(type).at(-1),
      emit(item) {
        entries.push({ type: "item", item: itemOf(item) })
      },
    },
    add(entry) {
      entries.push(entry)
    },
    messages,
    openCalls,
    openInterrupt() {
      const open = new Set(openCalls().map(({ toolCallId }) => toolCallId))
      const interrupts = entries.filter((entry) => entry.type === "interrupt")
      return interrupts.findLast(({ toolCallId }) => open.has(toolCallId))
    },
  }
}
