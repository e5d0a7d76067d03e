// The test kit as a user's own test has it: the same cases in jsdom, in happy-dom and in a real browser.
import { act, cleanup, screen } from "@testing-library/react"
import { createContext, useContext, useState } from "react"
import { useSession, useSessionState, useTool, useToolClient, useToolStatus } from "react-tool-client"
import { createTestSession } from "react-tool-client/testing"
import { renderWithSession } from "react-tool-client/testing/react"
import "react-tool-client/testing/vitest"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"

const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean | undefined }

const Language = createContext("en")

function Todos({ withClear = false }: { readonly withClear?: boolean }) {
  const session = useSession("any")
  const client = useToolClient(session, "web")
  const [todos, setTodos] = useState<readonly string[]>([])
  const language = useContext(Language)
  useTool(client, "add_todo", {
    description: "Adds a todo.",
    schema: z.object({ title: z.string().min(1) }),
    execute({ title }) {
      setTodos((before) => [...before, title])
      return `Added "${title}".`
    },
  })
  useTool(client, "clear", { description: "Clears.", parameters: { type: "object" }, enabled: withClear, execute: () => setTodos([]) })
  return (
    <>
      <p data-testid="state">{[useSessionState(session, ({ status }) => status), useToolStatus(client, "add_todo"), language].join(" ")}</p>
      <ul>{todos.map((todo) => <li key={todo}>{todo}</li>)}</ul>
    </>
  )
}

const state = (): string | null => screen.getByTestId("state").textContent
const todos = (): readonly (string | null)[] => screen.queryAllByRole("listitem").map(({ textContent }) => textContent)

export function describeTestKit(where: string): void {
  describe(`the test kit in ${where}`, () => {
    let warned: { mockRestore(): void; readonly mock: { readonly calls: unknown[][] } }
    beforeEach(() => {
      // As React Testing Library sets it where the test framework's hooks are globals.
      environment.IS_REACT_ACT_ENVIRONMENT = true
      warned = vi.spyOn(console, "error")
    })
    afterEach(() => {
      cleanup()
      environment.IS_REACT_ACT_ENVIRONMENT = undefined
      const { calls } = warned.mock
      warned.mockRestore()
      expect(calls).toEqual([])
    })

    it("renders, publishes, calls and sees what became of the page", async () => {
      const { session } = await renderWithSession(<Todos />)
      expect(session).toHavePublished("add_todo", { description: "Adds a todo." })
      expect(await session.callTool("add_todo", { title: "milk" })).toMatchObject({ text: 'Added "milk".', is_error: false, phases: ["acked", "running", "answered"] })
      expect(session).toHaveAnswered("add_todo", 'Added "milk".')
      expect(todos()).toEqual(["milk"])
      expect(state()).toBe("open live en")
    })

    it("gives what React Testing Library gives, and renders again below the same session", async () => {
      const { session, rerender, unmount, getByTestId } = await renderWithSession(<Todos />)
      expect(getByTestId("state").textContent).toBe("open live en")
      rerender(<Todos withClear />)
      await session.settle()
      expect(session).toHavePublished("clear")
      expect(session).toHaveSent({ register: 1, update: 1 })
      unmount()
      await session.settle()
      expect(session.published()).toEqual([])
    })

    it("renders into a session that is there, below a wrapper of the test's own", async () => {
      const session = createTestSession({ id: "mine" })
      const wrapper = ({ children }: { readonly children: React.ReactNode }) => <Language.Provider value="de">{children}</Language.Provider>
      const rendered = await renderWithSession(<Todos />, { session, wrapper })
      expect(rendered.session).toBe(session)
      expect(state()).toBe("open live de")
    })

    it("takes the network away and gives it back: the answer comes then, and the tool ran once", async () => {
      const { session } = await renderWithSession(<Todos />)
      act(() => session.faults.offline())
      expect(state()).toBe("reconnecting live en")
      const answer = session.callTool("add_todo", { title: "milk" })
      await session.settle()
      expect(todos()).toEqual(["milk"])
      expect(session.answers()).toEqual([])
      act(() => session.faults.online())
      expect((await answer).text).toBe('Added "milk".')
      expect(todos()).toEqual(["milk"])
      expect(session.errors()).toMatchObject([{ code: "network" }, { code: "network" }])
    })

    it("refuses requests, as many as it is told to", async () => {
      const session = createTestSession()
      session.faults.refuseNext(2)
      await renderWithSession(<Todos />, { session })
      expect(session).not.toHavePublished("add_todo")
      await session.clock.advance(60_000)
      expect(session).toHavePublished("add_todo")
      expect(session).toHaveSent({ register: 3 })
      expect(session.errors()).toMatchObject([{ status: 503 }, { status: 503 }])
    })

    it("is slow by the clock that stands still", async () => {
      const session = createTestSession()
      session.faults.slow(500)
      await renderWithSession(<Todos />, { session })
      await session.clock.advance(499)
      expect(session).not.toHavePublished("add_todo")
      await session.clock.advance(1)
      expect(session).toHavePublished("add_todo")
      session.faults.slow(0)
      expect((await session.callTool("add_todo", { title: "milk" })).is_error).toBe(false)
    })

    it("starts its server anew: tools are published again, and a call that was under way is answered and ran once", async () => {
      const { session } = await renderWithSession(<Todos />)
      const release = session.hold()
      const answer = session.callTool("add_todo", { title: "milk" }, { callId: "c1" })
      await session.settle()
      act(() => session.faults.restart())
      release()
      expect((await answer).text).toBe('Added "milk".')
      expect(todos()).toEqual(["milk"])
      // Dispatched twice, so acked twice.
      expect(session).toHaveSent({ register: 2, ack: 2 })
      expect(session).toHavePublished("add_todo")
      expect(session.errors()).not.toEqual([])
    })

    it("loses the response to an answer: the page sends it again, and runs nothing again", async () => {
      const { session } = await renderWithSession(<Todos />)
      session.faults.loseAnswer()
      await session.callTool("add_todo", { title: "milk" })
      await session.clock.advance(5_000)
      expect(session).toHaveSent({ answer: 2 })
      expect(session.answers("add_todo")).toHaveLength(1)
      expect(todos()).toEqual(["milk"])
      expect(session.errors()).toMatchObject([{ code: "network" }])
    })

    it("moves its own clock: pings come when they are due", async () => {
      const { session } = await renderWithSession(<Todos />)
      await session.clock.advance(90_000)
      expect(session).toHaveSent({ ping: 3 })
    })

    it("works under the test's fake timers, too", async () => {
      vi.useFakeTimers()
      try {
        const { session } = await renderWithSession(<Todos />)
        expect((await session.callTool("add_todo", { title: "milk" })).is_error).toBe(false)
        expect(todos()).toEqual(["milk"])
      } finally {
        vi.useRealTimers()
      }
    })
  })
}
