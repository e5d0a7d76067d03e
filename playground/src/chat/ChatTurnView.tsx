import { isTextUIPart, isToolOrDynamicToolUIPart, type UIMessage } from "ai"
import type { CallRecord } from "react-tool-client"
import { CallRow } from "../calls/CallRow.tsx"
import styles from "./chat.module.css"
import type { ToolPart } from "./chatCalls.ts"
import type { ChatTurn } from "./chatTurns.ts"
import { PendingCall } from "./PendingCall.tsx"

export interface ChatTurnViewProps {
  readonly turn: ChatTurn
  readonly records: ReadonlyMap<string, CallRecord>
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What stands together: a text, or calls that follow each other. */
type Block = { readonly type: "text"; readonly text: string } | { readonly type: "calls"; readonly parts: ToolPart[] }

function blocksOf(message: UIMessage | undefined): readonly Block[] {
  const blocks: Block[] = []
  for (const part of message?.parts ?? []) {
    const last = blocks.at(-1)
    if (isTextUIPart(part) && part.text.trim() !== "") blocks.push({ type: "text", text: part.text })
    else if (isToolOrDynamicToolUIPart(part) && last?.type === "calls") last.parts.push(part)
    else if (isToolOrDynamicToolUIPart(part)) blocks.push({ type: "calls", parts: [part] })
  }
  return blocks
}

const textOf = ({ parts }: UIMessage): string => parts.map((part) => (isTextUIPart(part) ? part.text : "")).join("")

/** A question with its answer as it comes in: texts, and each call with its phase. */
export function ChatTurnView({ turn: { question, answer, status, error }, records, now }: ChatTurnViewProps) {
  const isLive = status === "streaming"
  const blocks = blocksOf(answer)
  return (
    <article className={styles.turn} aria-label={textOf(question)} data-status={status}>
      <p className={styles.question}>
        <span className="visually-hidden">You: </span>
        {textOf(question)}
      </p>
      <div className={styles.answer}>
        <span className="visually-hidden">The agent: </span>
        {blocks.map((block, index) =>
          // Blocks only ever come at the end: the place is the identity.
          block.type === "text" ? (
            <p key={index}>{block.text}</p>
          ) : (
            <ul key={index} className={styles.calls} aria-label="Calls of the agent">
              {block.parts.map((part) => {
                const record = records.get(part.toolCallId)
                if (record) return <CallRow key={part.toolCallId} call={record} now={now} />
                return <PendingCall key={part.toolCallId} part={part} isLive={isLive} />
              })}
            </ul>
          ),
        )}
        {isLive && blocks.at(-1)?.type !== "text" && <p className={styles.thinking}>{blocks.length === 0 ? "Thinking" : "Waiting for the page"}</p>}
        {status === "stopped" && <p className={styles.note}>Stopped.</p>}
        {status === "failed" && <p className={styles.failed}>{error}</p>}
      </div>
    </article>
  )
}
