import styles from "./ui.module.css"

export interface AnswerTextProps {
  readonly label: string
  readonly text: string
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
export function AnswerText({ label, text }: AnswerTextProps) {
  return (
    <pre className={styles.answerText} role="region" aria-label={label} tabIndex={0}>
      {pretty(text)}
    </pre>
  )
}
