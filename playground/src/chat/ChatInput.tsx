import { useRef, useState } from "react"
import styles from "./chat.module.css"

export interface ChatInputProps {
  /** Whether there is an agent to talk to. */
  readonly isReady: boolean
  readonly isStreaming: boolean
  onSend(this: void, text: string): void
  onStop(this: void): void
}

const SUGGESTIONS = ["Add milk and bread to my list", "What is in my cart?", "Compare prices of the mug", "Check out"]

/** Where a person writes: Enter sends, Shift and Enter begins a line. */
export function ChatInput({ isReady, isStreaming, onSend, onStop }: ChatInputProps) {
  const [text, setText] = useState("")
  const field = useRef<HTMLTextAreaElement>(null)
  const canSend = isReady && !isStreaming

  function send(what: string): void {
    if (!canSend || what.trim() === "") return
    onSend(what.trim())
    setText("")
    // A suggestion's button is out of order while the agent answers: the person goes on here.
    field.current?.focus()
  }

  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        send(text)
      }}
    >
      <ul className={styles.suggestions} aria-label="Suggestions">
        {SUGGESTIONS.map((suggestion) => (
          <li key={suggestion}>
            <button type="button" className="small" disabled={!canSend} onClick={() => send(suggestion)}>
              {suggestion}
            </button>
          </li>
        ))}
      </ul>
      <div className={styles.field}>
        <textarea
          ref={field}
          aria-label="Message to the agent"
          placeholder="Ask the agent"
          rows={1}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            send(text)
          }}
        />
        {isStreaming ? (
          <button type="button" className="secondary" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button type="submit" disabled={!canSend}>
            Send
          </button>
        )}
      </div>
    </form>
  )
}
