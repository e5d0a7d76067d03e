import { useId } from "react"
import styles from "./ui.module.css"

export interface AnswerTextProps {
  readonly label: string
  readonly text: string
  /** Whether the label is shown too. @default false */
  readonly isCaptioned?: boolean
}

/** JSON with lines of its own, anything else as it is. */
function pretty(text: string): string {
  if (!/^[[{]/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** A text that may be long: it scrolls by itself, by the keyboard too. */
export function AnswerText({ label, text, isCaptioned = false }: AnswerTextProps) {
  const captionId = useId()
  return (
    <figure className={styles.answerText}>
      <figcaption id={captionId} className={isCaptioned ? undefined : "visually-hidden"}>
        {label}
      </figcaption>
      <pre role="group" aria-labelledby={captionId} tabIndex={0}>
        {pretty(text)}
      </pre>
    </figure>
  )
}
