import { type ActionDispatch, useState } from "react"
import { pageTool, type ToolClient, useTools } from "react-tool-client"
import { z } from "zod"
import { Icon } from "../ui/Icon.tsx"
import { TodoMarks } from "./TodoMarks.tsx"
import styles from "./todos.module.css"
import { createTodo, PRIORITIES, type Todo, type TodosAction } from "./todos.ts"

export interface TodoListProps {
  readonly client: ToolClient
  readonly todos: readonly Todo[]
  readonly dispatch: ActionDispatch<[TodosAction]>
  onOpen(this: void, id: string): void
}

export function TodoList({ client, todos, dispatch, onOpen }: TodoListProps) {
  const [title, setTitle] = useState("")
  const ids = todos.map(({ id }) => id)
  const openIds = todos.filter(({ isDone }) => !isDone).map(({ id }) => id)

  useTools(client, {
    add_todo: pageTool({
      title: "Add a to-do",
      description: "Add an item to the to-do list.",
      schema: z.object({
        title: z.string().trim().min(1).max(80).describe("What is to be done"),
        priority: z.enum(PRIORITIES).default("normal"),
        tags: z.array(z.string().trim().min(1)).max(5).default([]),
      }),
      execute(args) {
        const todo = createTodo(args)
        dispatch({ type: "added", todo })
        return { added: todo }
      },
    }),
    complete_todo: pageTool({
      title: "Complete a to-do",
      description: "Tick an open item off the to-do list.",
      // The model is offered what there is: the schema changes with the list, and goes out before the answer that changed it.
      schema: z.object({ id: z.enum(openIds) }),
      enabled: openIds.length > 0,
      execute({ id }) {
        dispatch({ type: "changed", id, change: { isDone: true } })
        return `${id} is done.`
      },
    }),
    remove_todo: pageTool({
      title: "Remove a to-do",
      description: "Take an item off the to-do list for good.",
      schema: z.object({ id: z.enum(ids) }),
      enabled: ids.length > 0,
      annotations: { destructiveHint: true },
      execute({ id }) {
        dispatch({ type: "removed", id })
        return `${id} is removed.`
      },
    }),
    open_todo: pageTool({
      title: "Open a to-do",
      description: "Show one item on its own page, where it can be edited. The tools of the list go away meanwhile.",
      schema: z.object({ id: z.enum(ids) }),
      enabled: ids.length > 0,
      execute({ id }) {
        // Unmounts this very component; the call is answered all the same.
        onOpen(id)
        return `The page of ${id} is open. edit_todo changes it, close_todo goes back to the list.`
      },
    }),
  })

  return (
    <>
      <ul className={styles.list} aria-label="To-dos">
        {todos.map((todo) => (
          <li key={todo.id} className={styles.item} data-done={todo.isDone}>
            <input
              type="checkbox"
              aria-label={`Done: ${todo.title}`}
              checked={todo.isDone}
              onChange={(event) => dispatch({ type: "changed", id: todo.id, change: { isDone: event.target.checked } })}
            />
            <div className={styles.what}>
              <button type="button" className={styles.open} onClick={() => onOpen(todo.id)}>
                {todo.title}
              </button>
              <TodoMarks todo={todo} />
            </div>
            <button
              type="button"
              className="icon-button"
              aria-label={`Remove ${todo.title}`}
              onClick={() => dispatch({ type: "removed", id: todo.id })}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {todos.length === 0 && <p className="empty">Nothing to do.</p>}
      <form
        className={styles.add}
        onSubmit={(event) => {
          event.preventDefault()
          if (title.trim() === "") return
          dispatch({ type: "added", todo: createTodo({ title: title.trim() }) })
          setTitle("")
        }}
      >
        <input
          aria-label="New to-do"
          placeholder="Add something to do"
          value={title}
          maxLength={80}
          onChange={(event) => setTitle(event.target.value)}
        />
        <button type="submit">Add</button>
      </form>
    </>
  )
}
