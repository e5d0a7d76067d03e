// @vitest-environment jsdom
import { render } from "@testing-library/react"
import type { ComponentType } from "react"
import { SessionProvider, useSession, useToolClient, type ToolClient } from "react-tool-client"
import { createTestSession } from "react-tool-client/testing"
import { expect, it, onTestFinished, vi } from "vitest"

it("docs/guides/tabs-and-reloads.md: a tool that leaves its page does so once the server has its answer", async () => {
  const { OpenPage } = (await import("docs:docs/guides/tabs-and-reloads.md/OpenPage.tsx")) as { OpenPage: ComponentType<{ page: ToolClient }> }
  const Page = () => <OpenPage page={useToolClient(useSession("any"), "web")} />
  const session = createTestSession()
  const assign = vi.fn()
  vi.stubGlobal("location", { ...window.location, assign })
  onTestFinished(() => void vi.unstubAllGlobals())
  render(<SessionProvider client={session.client}><Page /></SessionProvider>)
  await session.settle()

  session.faults.slow(1_000) // each request
  const answer = session.callTool("open_page", { path: "/cart" })
  await session.settle()
  expect(session.requests("answer")).toHaveLength(1) // it is on its way
  expect(session.answers("open_page")).toEqual([])
  expect(assign).not.toHaveBeenCalled()
  await session.clock.advance(1_000)
  expect(await answer).toMatchObject({ text: "Opening /cart.", is_error: false })
  await vi.waitFor(() => expect(assign.mock.calls).toEqual([["/cart"]]))
})
