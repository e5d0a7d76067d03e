// The test kit in a user's own tests: React Testing Library, which asks React to warn of what is not wrapped in act.
import { act, cleanup, fireEvent, screen } from "@testing-library/react"
import { useState } from "react"
import { useSession, useSessionState, useTool, useToolCalls, useToolClient, useToolStatus } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { renderWithSession } from "react-tool-client/testing/react"
import { afterEach, beforeEach, expect, it } from "vitest"
import { z } from "zod"
import "./support/console.ts"

const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean | undefined }

let session: TestSession
beforeEach(() => {
  environment.IS_REACT_ACT_ENVIRONMENT = true
  session = createTestSession()
})
afterEach(() => {
  cleanup()
  environment.IS_REACT_ACT_ENVIRONMENT = undefined
})

function TodoList() {
  const known = useSession("any")
  const client = useToolClient(known, "web")
  const [todos, setTodos] = useState<readonly string[]>([])
  useTool(client, "add_todo", {
    description: "Adds a todo.",
    schema: z.object({ title: z.string() }),
    execute: async ({ title }) => {
      setTodos((before) => [...before, title])
      return `${todos.length + 1} todos`
    },
  })
  const { status, isRunning } = useSessionState(known)
  return (
    <>
      <p data-testid="state">{[status, isRunning ? "running" : "idle", useToolStatus(client, "add_todo"), useToolCalls(client).length].join(" ")}</p>
      <button onClick={() => setTodos([])}>Clear</button>
      <ul>
        {todos.map((todo) => (
          <li key={todo}>{todo}</li>
        ))}
      </ul>
    </>
  )
}

const renderPage = () => renderWithSession(<TodoList />, { session })

const state = (): string | null => screen.getByTestId("state").textContent
const todos = (): readonly (string | null)[] => screen.queryAllByRole("listitem").map(({ textContent }) => textContent)

it("calls a tool that changes the page, and React warns of nothing", async () => {
  await renderPage()
  expect(state()).toBe("open idle live 0")
  expect((await session.callTool("add_todo", { title: "Milk" })).text).toBe("1 todos")
  expect(todos()).toEqual(["Milk"])
  expect(state()).toBe("open idle live 1")
  expect(environment.IS_REACT_ACT_ENVIRONMENT).toBe(true)
  fireEvent.click(screen.getByText("Clear"))
  expect(todos()).toEqual([])
})

it("may call several at once", async () => {
  await renderPage()
  const titles = ["Milk", "Bread", "Salt"]
  await Promise.all(titles.map((title) => session.callTool("add_todo", { title })))
  expect(todos()).toEqual(titles)
  expect(environment.IS_REACT_ACT_ENVIRONMENT).toBe(true)
})

it("gives the environment back after a call that fails", async () => {
  await renderPage()
  await expect(session.callTool("nothing")).rejects.toThrow('0 tool clients could take "nothing"')
  session.failNext("answer", 403)
  await expect(session.callTool("add_todo", { title: "Milk" })).rejects.toMatchObject({ status: 403 })
  expect(environment.IS_REACT_ACT_ENVIRONMENT).toBe(true)
  expect(session.errors()).toMatchObject([{ status: 403 }])
})

it("moves the clock", async () => {
  await renderPage()
  session.failNext("ping", 404)
  await session.clock.advance(30_000)
  expect(session.requests("ping")).toHaveLength(1)
  expect(session.requests("register")).toHaveLength(2)
  expect(state()).toBe("open idle live 0")
  expect(session.errors()).toMatchObject([{ status: 404 }])
})

it("plays the server inside act, as a user's click", async () => {
  await renderPage()
  act(() => session.setRunning(true))
  expect(state()).toBe("open running live 0")
  act(() => session.disconnect())
  expect(state()).toBe("reconnecting idle live 0")
  act(() => session.open())
  expect(state()).toBe("open idle live 0")
})

it("waits by React Testing Library's own queries", async () => {
  await renderPage()
  await screen.findByText("open idle live 0")
  const answer = session.callTool("add_todo", { title: "Milk" })
  expect((await screen.findByText("Milk")).tagName).toBe("LI")
  expect((await answer).phases).toEqual(["acked", "running", "answered"])
})
