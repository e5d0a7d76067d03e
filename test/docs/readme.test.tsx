// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react"
import type { ComponentType } from "react"
import { SessionProvider, useSession, useToolClient, type ToolClient } from "react-tool-client"
import { createTestSession } from "react-tool-client/testing"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"

// The README's own test, as it stands there.
import "docs:README.md/Todos.test.tsx"

afterEach(cleanup)

it("README.md: the first example needs no server", async () => {
  const { default: App } = (await import("docs:README.md/LocalApp.tsx")) as { default: ComponentType }
  render(<App />)
  expect(await screen.findByRole("list")).toBeTruthy()
})

it("README.md: the connected example's provider loads its client, which asks the back end for a token", async () => {
  const fetched = vi.fn((_url: string) => Promise.resolve(new Response(null, { status: 403 })))
  vi.stubGlobal("fetch", fetched)
  vi.spyOn(console, "error").mockReturnValue() // where errors go by default
  onTestFinished(() => void vi.unstubAllGlobals())
  const { default: App } = (await import("docs:README.md/App.tsx")) as { default: ComponentType<{ sessionId: string }> }
  render(<App sessionId="the-session" />)
  expect(screen.getByRole("list")).toBeTruthy()
  await vi.waitFor(() => expect(fetched.mock.calls).toEqual([["/session-token/the-session"]]), 10_000)
})

describe("README.md: asking a person", () => {
  it("answers no when the question goes away, and a scripted click decides nothing", async () => {
    const { Checkout } = (await import("docs:README.md/Checkout.tsx")) as { Checkout: ComponentType<{ page: ToolClient; pay(): Promise<string> }> }
    function Page() {
      const page = useToolClient(useSession("any"), "web")
      return <Checkout page={page} pay={() => Promise.reject(new Error("Nobody may pay."))} />
    }
    const session = createTestSession()
    render(<SessionProvider client={session.client}><Page /></SessionProvider>)
    await session.settle()

    const answer = session.callTool("check_out")
    expect((await screen.findByRole("alertdialog")).textContent).toContain("Buy everything in the cart?")
    screen.getByText("Buy").click()
    expect(screen.queryByRole("alertdialog")).not.toBeNull()
    cleanup()
    expect(await answer).toMatchObject({ text: "The user said no.", is_error: false })
  })
})
