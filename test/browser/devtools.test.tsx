import { cleanup, render } from "@testing-library/react"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { page, userEvent } from "vitest/browser"
import { z } from "zod"
import { ToolDevtools } from "react-tool-client/devtools"
import { createTestSession, type TestSession } from "react-tool-client/testing"
// Loaded before: how long that takes is not what is tested.
import "../../src/devtools/panel/Panel.tsx"

beforeEach(() => {
  localStorage.clear()
  return page.viewport(1200, 800)
})
afterEach(cleanup)

const CALLS = 1_000

/** As many as an agent would hardly make at once. */
const AT_ONCE = 50

async function callAll(session: TestSession, titleOf: (index: number) => string): Promise<void> {
  for (let first = 0; first < CALLS; first += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => session.callTool("add_todo", { title: titleOf(first + index) })))
  }
}

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

const root = (): ShadowRoot => {
  const shadow = document.querySelector("[data-react-tool-client-devtools]")?.shadowRoot
  if (!shadow) throw new Error("The panel is not there.")
  return shadow
}

/** What has the focus, by its name. */
const focused = (): string => {
  const element = root().activeElement
  return element?.getAttribute("aria-label") ?? element?.textContent ?? ""
}

const rows = () => page.getByRole("option")

describe("the panel with 1,000 calls", () => {
  it("draws only those in sight, follows the newest, and comes to each by the keyboard", async () => {
    const session = await shop()
    render(<ToolDevtools session={session} initialIsOpen />)
    await expect.element(page.getByRole("tab", { name: /calls/ })).toBeVisible()
    await callAll(session, (index) => `item ${index}`)
    await expect.element(page.getByRole("option", { name: /item 999/ })).toBeVisible()
    expect(rows().elements().length).toBeLessThan(60)

    root().querySelector<HTMLElement>("[role=listbox]")?.focus()
    await userEvent.keyboard("{Home}")
    await expect.element(page.getByRole("option", { name: /item 0/ })).toHaveAttribute("aria-selected", "true")
    await expect.element(page.getByRole("region", { name: "Call of add_todo" })).toBeVisible()
    await userEvent.keyboard("{ArrowDown}{ArrowDown}")
    await expect.element(page.getByRole("option", { name: /item 2"/ })).toHaveAttribute("aria-selected", "true")
    await userEvent.keyboard("{End}")
    await expect.element(page.getByRole("option", { name: /item 999/ })).toHaveAttribute("aria-selected", "true")
    const [list] = [...root().querySelectorAll("[role=listbox]")]
    expect(root().getElementById(list?.getAttribute("aria-activedescendant") ?? "")?.textContent).toContain("item 999")
    expect(rows().elements().length).toBeLessThan(60)
  })

  it("finds one of them by its arguments", async () => {
    const session = await shop()
    render(<ToolDevtools session={session} initialIsOpen />)
    await expect.element(page.getByRole("tab", { name: /calls/ })).toBeVisible()
    await callAll(session, (index) => (index === 500 ? "" : `item ${index}`))
    await userEvent.fill(page.getByRole("searchbox"), "ITEM 777")
    await expect.poll(() => rows().elements().length).toBe(1)
    await userEvent.fill(page.getByRole("searchbox"), "")
    await userEvent.click(page.getByRole("button", { name: /Errors/ }))
    await expect.poll(() => rows().elements().length).toBe(1)
    await expect.element(rows()).toHaveAccessibleName(/answered with an error/)
  })
})

describe("the keyboard", () => {
  it("opens the panel, moves between its parts, finds the search, and closes it", async () => {
    const session = await shop()
    render(<ToolDevtools session={session} />)
    await userEvent.keyboard("{Tab}{Enter}")
    await expect.poll(focused).toBe("calls 0")
    await userEvent.keyboard("{ArrowRight}")
    await expect.poll(focused).toBe("tools 1")
    await expect.element(page.getByRole("tab", { name: /tools/ })).toHaveAttribute("aria-selected", "true")
    await userEvent.keyboard("{End}")
    await expect.poll(focused).toMatch(/^connection/)
    await userEvent.keyboard("/")
    await expect.poll(focused).toBe("Search calls")
    await userEvent.keyboard("a{Escape}")
    expect(root().querySelector("input")?.value).toBe("")
    await userEvent.keyboard("{Escape}")
    await expect.poll(focused).toBe("Open the tool panel")
  })

  it("makes the docked panel higher and lower", async () => {
    const session = await shop()
    render(<ToolDevtools session={session} initialIsOpen />)
    const edge = page.getByRole("separator", { name: "Size of the panel" })
    await expect.element(edge).toHaveAttribute("aria-valuenow", "360")
    root().querySelector<HTMLElement>("[role=separator]")?.focus()
    await userEvent.keyboard("{ArrowUp}{ArrowUp}{ArrowDown}")
    await expect.element(edge).toHaveAttribute("aria-valuenow", "384")
    expect(root().querySelector("aside")?.getBoundingClientRect().height).toBe(384)
  })

  it("calls a tool by hand, and calls again what an agent has called", async () => {
    const session = await shop()
    render(<ToolDevtools session={session} initialIsOpen />)
    await expect.element(page.getByRole("tab", { name: /calls/ })).toBeVisible()
    await session.callTool("add_todo", { title: "milk" })
    await userEvent.click(rows())
    await userEvent.click(page.getByRole("button", { name: "Call again…" }))
    await expect.element(page.getByLabelText(/title/)).toHaveValue("milk")
    await userEvent.click(page.getByLabelText(/title/))
    await userEvent.keyboard(" and bread{Enter}")
    await expect.element(page.getByText("Added milk and bread.")).toBeVisible()
    await userEvent.click(page.getByRole("button", { name: "Show the call" }))
    await expect.element(rows().nth(1)).toHaveAttribute("aria-selected", "true")
  })
})

describe("its looks", () => {
  it("are not touched by the page's styles, and touch nothing of the page's", async () => {
    const session = await shop()
    render(
      <>
        <style>{"button { background: rgb(1, 2, 3) !important; font-size: 40px !important }"}</style>
        <button>The application's</button>
        <ToolDevtools session={session} initialIsOpen theme="dark" />
      </>,
    )
    await expect.element(page.getByRole("tab", { name: /calls/ })).toBeVisible()
    const tab = root().querySelector("[role=tab]")
    const button = document.querySelector("button")
    if (!tab || !button) throw new Error("Both are there.")
    expect(getComputedStyle(tab).fontSize).toBe("13px")
    expect(getComputedStyle(button).fontSize).toBe("40px")
    expect(getComputedStyle(root().querySelector(".panel") ?? tab).backgroundColor).toBe("rgb(20, 23, 31)")
  })

  it.each([390, 700, 1200])("are as wide as the screen at %i pixels, and nothing is cut off at the side", async (width) => {
    await page.viewport(width, 800)
    const session = await shop()
    render(<ToolDevtools session={session} initialIsOpen />)
    await expect.element(page.getByRole("tab", { name: /calls/ })).toBeVisible()
    await session.callTool("add_todo", { title: "milk" })
    await userEvent.click(rows())
    for (const name of [/calls/, /tools/, /requests/, /connection/]) {
      await userEvent.click(page.getByRole("tab", { name }))
      const panel = root().querySelector(".panel")
      expect(panel?.scrollWidth).toBe(panel?.clientWidth)
      expect(panel?.clientWidth).toBe(width)
    }
  })
})
