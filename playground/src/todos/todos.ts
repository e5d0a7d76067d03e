export const PRIORITIES = ["low", "normal", "high"] as const

export type Priority = (typeof PRIORITIES)[number]

export interface Todo {
  /** Made of the title, so that a model can tell one from another. */
  readonly id: string
  readonly title: string
  readonly priority: Priority
  readonly tags: readonly string[]
  readonly notes: string
  readonly isDone: boolean
}

export type TodosAction =
  | { readonly type: "added"; readonly todo: Todo }
  | { readonly type: "changed"; readonly id: string; readonly change: Partial<Omit<Todo, "id">> }
  | { readonly type: "removed"; readonly id: string }

/** Ids are random at their end: two calls at the same moment do not know of each other. */
function todoId(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["todo"]
  return `${words.slice(0, 4).join("-")}-${crypto.randomUUID().slice(0, 4)}`
}

export const createTodo = (todo: Pick<Todo, "title"> & Partial<Todo>): Todo => ({
  id: todoId(todo.title),
  priority: "normal",
  tags: [],
  notes: "",
  isDone: false,
  ...todo,
})

export function todosReducer(todos: readonly Todo[], action: TodosAction): readonly Todo[] {
  switch (action.type) {
    case "added":
      return [...todos, action.todo]
    case "changed":
      return todos.map((todo) => (todo.id === action.id ? { ...todo, ...action.change } : todo))
    case "removed":
      return todos.filter((todo) => todo.id !== action.id)
    default:
      return action satisfies never
  }
}

export const FIRST_TODOS: readonly Todo[] = [
  createTodo({ id: "book-train", title: "Book the train to Vienna", priority: "high", tags: ["travel"] }),
  createTodo({ id: "water-plants", title: "Water the plants", tags: ["home"], isDone: true }),
  createTodo({ id: "call-dentist", title: "Call the dentist", notes: "Ask for a morning in May." }),
]
