import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { z } from "zod"
import { createTestSession, type TestSession } from "../testing/createTestSession.ts"
// Loaded before: how long that takes is not what is tested.
import "./panel/Panel.tsx"
import { ToolDevtools } from "./ToolDevtools.ts"

beforeEach(() => localStorage.clear())
afterEach(() => {
  cleanup()
  vi.unstubAllEnvs()
})

function panel(): HTMLElement {
  const shell = document.querySelector("[data-react-tool-client-devtools]")?.shadowRoot?.querySelector<HTMLElement>(".shell")
  if (!shell) throw new Error("The panel is not there.")
  return shell
}

const focused = (): Element | null => (panel().getRootNode() as ShadowRoot).activeElement

async function shop(): Promise<TestSession> {
  const session = createTestSession({ id: "shop" })
  session.createToolClient("web").addTool("add_todo", {
    description: "Adds an item.",
    schema: z.object({ title: z.string().min(1) }),
    execute: ({ title }) => `Added ${title}.`,
  })
  await session.settle()
  return session
}

it("is a button that opens the panel, and Escape closes it again", async () => {
  const user = userEvent.setup()
  render(<ToolDevtools session={await shop()} />)
  await user.click(within(panel()).getByRole("button", { name: "Open the tool panel" }))
  const tab = await within(panel()).findByRole("tab", { name: /calls/ })
  await waitFor(() => expect(focused()).toBe(tab))
  await user.keyboard("{Escape}")
  expect(within(panel()).queryByRole("tab")).toBeNull()
  await waitFor(() => expect(focused()).toBe(within(panel()).getByRole("button", { name: "Open the tool panel" })))
})

it("does not take the focus when it is open from the beginning, or stands in a page", async () => {
  const session = await shop()
  render(
    <>
      <input aria-label="The application's" autoFocus />
      <ToolDevtools session={session} initialIsOpen />
    </>,
  )
  await within(panel()).findByRole("tab", { name: /calls/ })
  expect(document.activeElement).toBe(screen.getByLabelText("The application's"))
})

it("is open again after a reload", async () => {
  const user = userEvent.setup()
  const session = await shop()
  const { unmount } = render(<ToolDevtools session={session} />)
  await user.click(within(panel()).getByRole("button", { name: "Open the tool panel" }))
  unmount()
  render(<ToolDevtools session={session} />)
  expect(await within(panel()).findByRole("tab", { name: /calls/ })).toBeTruthy()
})

it("calls a tool by hand, and shows the schema beside the last refusal", async () => {
  const user = userEvent.setup()
  render(<ToolDevtools session={await shop()} inline />)
  await user.click(await within(panel()).findByRole("tab", { name: /tools/ }))
  await user.click(await within(panel()).findByRole("button", { name: /add_todo/ }))
  await user.click(within(panel()).getByRole("button", { name: "Call add_todo" }))
  expect(await within(panel()).findAllByText(/its arguments were refused/)).toHaveLength(2)
  fireEvent.change(within(panel()).getByLabelText(/title/), { target: { value: "milk" } })
  await user.click(within(panel()).getByRole("button", { name: "Call add_todo" }))
  expect(await within(panel()).findByText("Added milk.")).toBeTruthy()
  // The refusal stays for comparison.
  expect(within(panel()).getByText(/its arguments were refused/)).toBeTruthy()
  expect(within(panel()).getByText("minLength")).toBeTruthy()
})

it("leads from an empty time line to a tool that can be called by hand, with the keyboard", async () => {
  const user = userEvent.setup()
  render(<ToolDevtools session={await shop()} inline />)
  expect(await within(panel()).findByText("1 tool is offered.")).toBeTruthy()
  await user.click(within(panel()).getByRole("button", { name: "Call one by hand" }))
  expect(await within(panel()).findByRole("button", { name: /add_todo/ })).toBeTruthy()
  await waitFor(() => expect(focused()).toBe(within(panel()).getByRole("tab", { name: /tools/ })))
})

it("says on its tab that a tool client has failed, and why beside its tools", async () => {
  const user = userEvent.setup()
  const session = await shop()
  session.failNext("register", 403)
  const admin = session.createToolClient("admin", { onError: () => {} })
  admin.addTool("drop", { description: "Drops.", parameters: { type: "object" }, execute: () => "" })
  await session.settle()
  render(<ToolDevtools session={session} inline />)
  await user.click(await within(panel()).findByRole("tab", { name: /tools 2 1 problem/ }))
  expect(within(panel()).getByText(/No agent can call these tools: .*403/)).toBeTruthy()
  expect(within(panel()).getByRole("button", { name: /not at the server.*drop/ })).toBeTruthy()
})

it("gives its styles the nonce that a Content-Security-Policy allows", async () => {
  render(<ToolDevtools session={await shop()} inline nonce="abc" />)
  await within(panel()).findByRole("tab", { name: /calls/ })
  expect([...panel().querySelectorAll("style")].map((style) => style.nonce)).toEqual(["abc", "abc"])
})

it("says that there is no session yet", () => {
  render(<ToolDevtools session={null} inline />)
  expect(within(panel()).getByText("There is no session yet.")).toBeTruthy()
})

it("renders nothing in production", async () => {
  vi.stubEnv("NODE_ENV", "production")
  const { container } = render(<ToolDevtools session={await shop()} initialIsOpen />)
  expect(container.innerHTML).toBe("")
})
