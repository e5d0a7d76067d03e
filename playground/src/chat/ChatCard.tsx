import { useEffect, useRef } from "react"
import { type ToolClient, useToolCalls, useToolClientState } from "react-tool-client"
import { isInFlight } from "../calls/describeCall.ts"
import { useNow } from "../calls/useNow.ts"
import { Card } from "../ui/Card.tsx"
import styles from "./chat.module.css"
import { recordsOf } from "./chatCalls.ts"
import { ChatInput } from "./ChatInput.tsx"
import { ChatTurnView } from "./ChatTurnView.tsx"
import { useChat } from "./useChat.ts"
import { useModelName } from "./useModelName.ts"

export interface ChatCardProps {
  readonly sessionId: string | null
  /** The page's own. */
  readonly client: ToolClient
}

/** Within this of its end the conversation follows what comes in. Pixels. */
const NEAR_END = 80

/** A conversation with an agent that works with the session's tools. */
function ChatCard({ sessionId, client }: ChatCardProps) {
  const clientName = useToolClientState(client, ({ name }) => name)
  const calls = useToolCalls(client)
  const { turns, isStreaming, send, stop, clear } = useChat(sessionId, clientName)
  const now = useNow(calls.some(isInFlight))
  const model = useModelName()
  const log = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)

  // What was added is shown, unless a person has scrolled back to read.
  useEffect(() => {
    const element = log.current
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [turns, calls])

  const records = recordsOf(turns, calls, clientName)
  return (
    <Card
      title="Chat"
      aside={
        turns.length > 0 ? (
          <button type="button" className="quiet" onClick={clear}>
            New chat
          </button>
        ) : (
          model
        )
      }
    >
      <div
        ref={log}
        className={styles.log}
        role="log"
        aria-label="Conversation"
        aria-live="polite"
        // What is streamed is read out when it is whole, and not word by word.
        aria-busy={isStreaming}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END
        }}
      >
        {turns.length === 0 && (
          <p className="empty">
            The agent sees this page&rsquo;s tools, calls them, and hears back. {model === "scripted" && "It is a script that needs no key: try one of these."}
          </p>
        )}
        {turns.map((turn) => (
          <ChatTurnView key={turn.id} turn={turn} records={records} now={now} />
        ))}
      </div>
      <ChatInput
        isReady={sessionId !== null && clientName !== undefined}
        isStreaming={isStreaming}
        onSend={(text) => {
          isAtEnd.current = true
          send(text)
        }}
        onStop={stop}
      />
    </Card>
  )
}

export default ChatCard
