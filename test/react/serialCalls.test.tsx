// A serial tool's next call runs the handler of the render that the call before it caused.
import { useState } from "react"
import { SessionProvider, useTool, useToolClient } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { describe, expect, it } from "vitest"
import { mount } from "./support/mount.tsx"

/** Takes its state from the render, as people write it: right only when calls wait for each other's commits. */
function Todos({ session, before }: { session: TestSession; before: () => Promise<void> }) {
  const client = useToolClient(session, "web")
  const [todos, setTodos] = useState<readonly string[]>([])
  useTool(client, "add_todo", {
    description: "Add an item to the list.",
    parameters: { type: "object", properties: { title: { type: "string" } } },
    concurrency: "serial",
    execute: async ({ title }: { title: string }) => {
      await before()
      setTodos([...todos, title])
      return `The list has ${todos.length + 1} items.`
    },
  })
  return null
}

const CASES = [
  { when: "sets state at once", before: () => Promise.resolve() },
  { when: "sets state after a turn of the event loop", before: () => new Promise<void>((resolve) => void setTimeout(resolve)) },
]

describe("four serial calls at once", () => {
  it.each(CASES)("each see the state of the one before when the tool $when", async ({ before }) => {
    const session = createTestSession()
    await mount(
      <SessionProvider client={session.client}>
        <Todos session={session} before={before} />
      </SessionProvider>,
    )
    await session.settle()
    const answers = await Promise.all(["a", "b", "c", "d"].map((title) => session.callTool("add_todo", { title })))
    expect(answers.map(({ text }) => text)).toEqual([1, 2, 3, 4].map((count) => `The list has ${count} items.`))
  })
})
