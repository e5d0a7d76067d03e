import type { AgentMessage, AgentPart, AgentToolCall } from "./agentMessages.ts"
import type { ToolItem, ToolItems } from "./items.ts"
import { itemOf } from "./items.ts"

/** One step of a conversation. All of it is JSON, so a conversation can be stored and gone on with elsewhere. */
export type TranscriptEntry =
  /** What the model reads: said by the person, by itself, or what a tool answered. */
  | { readonly type: "message"; readonly message: AgentMessage }
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

/** A call that waits for somebody. */
export interface WaitingCall {
  readonly call: AgentToolCall
  /** Its newest interrupt. */
  readonly interrupt: TranscriptInterrupt
}

/** Entries, and a face of them as a tool's items: what is emitted stands in the conversation where it happened. */
export interface Transcript {
  readonly entries: readonly TranscriptEntry[]
  readonly items: ToolItems
  add(entry: TranscriptEntry): void
  /** As the model reads them: results stand in the order of their calls, although some came later. */
  messages(): AgentMessage[]
  /** What the model called and no result stands for yet, in its order. */
  openCalls(): readonly AgentToolCall[]
  /** The open calls that wait for somebody, in the model's order. */
  waitingCalls(): readonly WaitingCall[]
}

const partsOf = ({ content }: AgentMessage): readonly AgentPart[] => (typeof content === "string" ? [] : content)

export function createTranscript(before: readonly TranscriptEntry[] = []): Transcript {
  const entries: TranscriptEntry[] = [...before]
  const list = (type?: string): readonly ToolItem[] =>
    entries.flatMap((entry) => (entry.type === "item" && (type === undefined || entry.item.type === type) ? [entry.item] : []))

  const said = (): readonly AgentMessage[] => entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []))
  const callsIn = (messages: readonly AgentMessage[]): readonly AgentToolCall[] =>
    messages.flatMap((message) => (message.role === "assistant" ? partsOf(message) : [])).flatMap((part) => (part.type === "tool-call" ? [part] : []))
  const resultIdsIn = (message: AgentMessage): readonly string[] =>
    message.role === "tool" ? partsOf(message).flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])) : []

  function messages(): AgentMessage[] {
    const all = said()
    const callIds = callsIn(all).map(({ toolCallId }) => toolCallId)
    const ordered: AgentMessage[] = []
    for (const message of all) {
      const place = (one: AgentMessage | undefined): number => (one ? callIds.indexOf(resultIdsIn(one)[0] ?? "") : -1)
      let at = ordered.length
      // A result that came later than that of a later call stands before it; anything but a result has no place, and is never moved.
      while (place(message) >= 0 && place(ordered[at - 1]) > place(message)) at--
      ordered.splice(at, 0, message)
    }
    return ordered
  }

  function openCalls(): readonly AgentToolCall[] {
    const all = said()
    const answered = new Set(all.flatMap(resultIdsIn))
    return callsIn(all).filter(({ toolCallId, providerExecuted }) => !providerExecuted && !answered.has(toolCallId))
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
    waitingCalls() {
      const interrupts = entries.filter((entry) => entry.type === "interrupt")
      return openCalls().flatMap((call) => {
        const interrupt = interrupts.findLast(({ toolCallId }) => toolCallId === call.toolCallId)
        return interrupt ? [{ call, interrupt }] : []
      })
    },
  }
}
