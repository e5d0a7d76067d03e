import { Icon } from "../ui/Icon.tsx"
import styles from "./layout.module.css"

export interface ProblemBarProps {
  readonly message: string
  onClose(this: void): void
}

/** What went wrong in the background. */
export function ProblemBar({ message, onClose }: ProblemBarProps) {
  return (
    <div className={styles.problem} role="alert">
      <p>{message}</p>
      <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  )
}
