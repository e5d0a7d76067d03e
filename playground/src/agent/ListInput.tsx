import type { ReactNode } from "react"
import { Icon } from "../ui/Icon.tsx"
import styles from "./agent.module.css"
import type { Draft } from "./draft.ts"

export interface ListInputProps {
  readonly label: string
  readonly help: ReactNode
  readonly items: readonly Draft[]
  onChange(this: void, items: readonly Draft[]): void
  renderItem(this: void, item: Draft, label: string, change: (item: Draft) => void): ReactNode
}

/** A control for each item, one to take it out, one to add the next. */
export function ListInput({ label, help, items, onChange, renderItem }: ListInputProps) {
  return (
    <fieldset>
      <legend>
        {label}
        <span className={styles.optional}> list</span>
      </legend>
      <div className={styles.members}>
        {help}
        {items.map((item, index) => (
          // What is typed into an item is all that it is: its place is its identity.
          <div key={index} className={styles.listItem}>
            {renderItem(item, `${label} ${index + 1}`, (next) => onChange(items.with(index, next)))}
            <button
              type="button"
              className="icon-button"
              aria-label={`Remove ${label} ${index + 1}`}
              onClick={() => onChange(items.toSpliced(index, 1))}
            >
              <Icon name="close" />
            </button>
          </div>
        ))}
        <button type="button" className="quiet" onClick={() => onChange([...items, undefined])}>
          <Icon name="plus" /> Add to {label.toLowerCase()}
        </button>
      </div>
    </fieldset>
  )
}
