import { type ReactNode, useId } from "react"
import styles from "./ui.module.css"

export interface CardProps {
  readonly title: string
  /** A word on the state of things, beside the title. */
  readonly aside?: ReactNode
  readonly footer?: ReactNode
  readonly children: ReactNode
}

/** A titled section of the page. */
export function Card({ title, aside, footer, children }: CardProps) {
  const titleId = useId()
  return (
    <section className={styles.card} aria-labelledby={titleId}>
      <header className={styles.cardHeader}>
        <h2 id={titleId}>{title}</h2>
        {aside !== undefined && <div className={styles.aside}>{aside}</div>}
      </header>
      <div className={styles.cardBody}>{children}</div>
      {footer !== undefined && <footer className={styles.cardFooter}>{footer}</footer>}
    </section>
  )
}
