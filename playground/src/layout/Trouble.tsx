import styles from "./layout.module.css"

export interface TroubleProps {
  readonly message: string
  readonly action: string
  onAction(this: void): void
}

/** What is wrong with the whole page, and what a person can do about it. */
export function Trouble({ message, action, onAction }: TroubleProps) {
  return (
    <div className={styles.trouble} role="alert">
      <p>{message}</p>
      <button type="button" className="secondary small" onClick={onAction}>
        {action}
      </button>
    </div>
  )
}
