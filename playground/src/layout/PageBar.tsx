import { type ReactNode, useEffect, useRef } from "react"
import styles from "./layout.module.css"

export interface PageBarProps {
  readonly title: string
  /** What the page is for, in a sentence. */
  readonly lead: ReactNode
  /** How things stand: `Fact`s. */
  readonly facts?: ReactNode
  readonly links?: ReactNode
  /** What is wrong, over the whole width. */
  readonly trouble?: ReactNode
}

/** A page's head: its title, what it is for, and how things stand. It gets the focus when a link leads here. */
export function PageBar({ title, lead, facts, links, trouble }: PageBarProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · react-tool-client playground`
    // Where a person's click on a link led here; not when the document was loaded.
    if (document.activeElement?.getAttribute("aria-current") === "page") heading.current?.focus()
  }, [title])
  return (
    <section className={styles.bar} aria-label={`${title}: how things stand`}>
      <div className={styles.intro}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p>{lead}</p>
      </div>
      <div className={styles.standing}>
        {facts && <dl className={styles.facts}>{facts}</dl>}
        {links && (
          <nav className={styles.links} aria-label={`${title}: links`}>
            {links}
          </nav>
        )}
      </div>
      {trouble}
    </section>
  )
}
