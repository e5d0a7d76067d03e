import { useReducer, useState } from "react"
import { type ToolClient, useToolContext } from "react-tool-client"
import { Card } from "../ui/Card.tsx"
import { ToolChips } from "../ui/ToolChips.tsx"
import { TodoDetail } from "./TodoDetail.tsx"
import { TodoList } from "./TodoList.tsx"
import { FIRST_TODOS, todosReducer } from "./todos.ts"

const TOOLS = ["list_todos", "add_todo", "complete_todo", "remove_todo", "open_todo", "edit_todo", "close_todo"]

/** A list of things to do, each with a page of its own. The tools of the page that is not shown are not offered. */
export function TodoCard({ client }: { readonly client: ToolClient }) {
  const [todos, dispatch] = useReducer(todosReducer, FIRST_TODOS)
  const [openId, setOpenId] = useState<string | null>(null)
  const openTodo = todos.find(({ id }) => id === openId)

  useToolContext(client, "list_todos", {
    title: "List the to-dos",
    description: "Every item of the to-do list with its id, title, priority, tags, notes and whether it is done.",
    read: () => todos,
  })

  const left = todos.filter(({ isDone }) => !isDone).length
  return (
    <Card title="To do" aside={`${left} of ${todos.length} open`} footer={<ToolChips client={client} names={TOOLS} />}>
      {openTodo ? (
        <TodoDetail client={client} todo={openTodo} dispatch={dispatch} onClose={() => setOpenId(null)} />
      ) : (
        <TodoList client={client} todos={todos} dispatch={dispatch} onOpen={setOpenId} />
      )}
    </Card>
  )
}
