import type { Todo } from "./todos.ts"
import styles from "./todos.module.css"

/** The tags of an item, and its priority where it is not the usual one. */
export function TodoMarks({ todo: { tags, priority } }: { readonly todo: Todo }) {
  if (tags.length === 0 && priority === "normal") return null
  return (
    <div className={styles.marks}>
      {tags.map((tag, index) => (
        // A model may give the same tag twice.
        <span key={index} className={styles.mark}>
          {tag}
        </span>
      ))}
      {priority !== "normal" && (
        <span className={styles.mark} data-priority={priority}>
          {priority}
        </span>
      )}
    </div>
  )
}
