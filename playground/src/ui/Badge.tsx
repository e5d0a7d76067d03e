import type { ReactNode } from "react"
import styles from "./ui.module.css"

export type Tone = "good" | "busy" | "bad" | "asking" | "quiet"

/** One word on how something is. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  )
}
