// In a real browser: what a tool does with its call's signal, whose ways to listen are our own.
import { createTestSession } from "react-tool-client/testing"
import { afterEach, beforeEach, expect, it } from "vitest"

const reported: unknown[] = []
const hear = (event: ErrorEvent): void => {
  reported.push(event.error)
  event.preventDefault()
}
beforeEach(() => window.addEventListener("error", hear))
afterEach(() => {
  window.removeEventListener("error", hear)
  expect(reported.splice(0)).toEqual([])
})

it("A tool's fetch is aborted with its call, by the signal itself and by one that is made of it.", async () => {
  const session = createTestSession()
  const client = session.createToolClient("web")
  const reasons: unknown[] = []
  client.addTool("load", {
    description: "Loads.",
    parameters: { type: "object" },
    async execute(_args, { signal }) {
      const ends = [signal, AbortSignal.any([signal])].map((each) => fetch("/", { signal: each }).catch((error: unknown) => reasons.push(error)))
      // Within this tick, before either can be answered.
      void session.deleteToolClient(client)
      await Promise.all(ends)
      return "loaded"
    },
  })
  await session.settle()
  void session.callTool("load").catch(() => {})
  await expect.poll(() => reasons.length).toBe(2)
  for (const reason of reasons) expect(reason).toMatchObject({ message: expect.stringContaining("deleted") as string })
})

it("A listener of the signal that throws is told to onError, and is no error of the page.", async () => {
  const errors: unknown[] = []
  const session = createTestSession()
  const client = session.createToolClient("web", { onError: (error) => errors.push(error) })
  const [first, second] = [new Error("a listener's"), new Error("onabort's")]
  client.addTool("wait", {
    description: "Waits.",
    parameters: { type: "object" },
    execute(_args, { signal }) {
      signal.addEventListener("abort", () => {
        throw first
      })
      signal.onabort = () => {
        throw second
      }
      return new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("over")))
    },
  })
  await session.settle()
  void session.callTool("wait").catch(() => {})
  await expect.poll(() => client.state.calls[0]?.phase).toBe("running")
  await session.deleteToolClient(client)
  expect(errors).toEqual([first, second])
})
