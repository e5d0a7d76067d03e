import { type ActionDispatch, useEffect, useRef } from "react"
import { type ToolClient, useTool } from "react-tool-client"
import { z } from "zod"
import { Icon } from "../ui/Icon.tsx"
import styles from "./todos.module.css"
import { PRIORITIES, type Todo, type TodosAction } from "./todos.ts"

export interface TodoDetailProps {
  readonly client: ToolClient
  readonly todo: Todo
  readonly dispatch: ActionDispatch<[TodosAction]>
  onClose(this: void): void
}

/** One item on a page of its own. */
export function TodoDetail({ client, todo, dispatch, onClose }: TodoDetailProps) {
  const { id } = todo
  const change = (next: Partial<Omit<Todo, "id">>): void => dispatch({ type: "changed", id, change: next })

  useTool(client, "edit_todo", {
    title: "Edit the open to-do",
    description: `Change the item that is open now, ${id}. What is left out stays as it is.`,
    schema: z.object({
      title: z.string().trim().min(1).max(80).optional(),
      priority: z.enum(PRIORITIES).optional(),
      notes: z.string().max(500).optional(),
    }),
    execute({ title = todo.title, priority = todo.priority, notes = todo.notes }) {
      change({ title, priority, notes })
      return { ...todo, title, priority, notes }
    },
  })

  useTool(client, "close_todo", {
    title: "Back to the to-do list",
    description: "Close the item's page and go back to the list.",
    schema: z.object({}),
    execute() {
      onClose()
      return "The list is shown again, and so are its tools."
    },
  })

  const back = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // Where a person's click led here, its button is gone and the focus with it; an agent's call does not take the focus away.
    if (document.activeElement === document.body) back.current?.focus()
  }, [])

  return (
    <section className={styles.detail} aria-label={`To-do: ${todo.title}`}>
      <button ref={back} type="button" className="quiet" onClick={onClose}>
        <Icon name="back" /> All to-dos
      </button>
      <label className="field">
        <span>Title</span>
        <input value={todo.title} maxLength={80} onChange={(event) => change({ title: event.target.value })} />
      </label>
      <label className="field">
        <span>Priority</span>
        <select value={todo.priority} onChange={(event) => change({ priority: event.target.value as Todo["priority"] })}>
          {PRIORITIES.map((priority) => (
            <option key={priority}>{priority}</option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>Notes</span>
        <textarea rows={3} value={todo.notes} maxLength={500} onChange={(event) => change({ notes: event.target.value })} />
      </label>
      <label className={styles.done}>
        <input type="checkbox" checked={todo.isDone} onChange={(event) => change({ isDone: event.target.checked })} />
        Done
      </label>
    </section>
  )
}
