import type { Page } from "playwright"
import { expect, test } from "vitest"
import { axeFaults } from "./support/axeFaults.ts"
import { eventually } from "./support/eventually.ts"
import { focused, tabTo } from "./support/focus.ts"
import { lowContrast } from "./support/lowContrast.ts"
import { portrait, withPlayground } from "./support/withPlayground.ts"

const playground = withPlayground("--enable-features=WebMCP")

/** A telephone's width, in pixels. */
const NARROW = 390
const WIDE = { width: 1440, height: 900 }

interface PageCase {
  readonly title: string
  readonly address: string
  /** Makes something of the page, and waits until it stands. */
  fill(page: Page): Promise<void>
  /** Where Tab comes to, in this order. */
  readonly stops: readonly string[]
}

const PAGES: readonly PageCase[] = [
  {
    title: "Session",
    address: "#/",
    async fill(page) {
      await playground.waitUntilLive(page)
      await page.getByRole("button", { name: "Add Fountain pen to the cart" }).click()
      await page.getByRole("button", { name: "Add milk and bread to my list" }).click()
      await page.getByText("Milk and Bread are on your list now.").waitFor()
      await page.getByRole("button", { name: "Send", exact: true }).waitFor()
    },
    stops: ["Copy the session id", "Second tab", "New session", "Done: Book the train", "New to-do", "Name", "Search products", "Chat", "Conversation", "Message to the agent", "Send"],
  },
  {
    title: "Hub",
    address: "#/hub",
    async fill(page) {
      await page.getByRole("list", { name: "Remotes" }).getByText("this tab").waitFor()
      await page.getByLabel("weather-service", { exact: true }).check()
      await page.getByLabel("Prefix for the functions of weather-service").fill("sky_")
      await page.getByRole("button", { name: 'sky_get_forecast {"city":"Rome"}' }).click()
      await page.getByRole("button", { name: "Prompt", exact: true }).click()
      await page.getByText("I made one call.").waitFor()
    },
    stops: ["Second tab", "read_notes", "get_forecast", "Remote name", "Rename", "Stop", "Sky over Rome", "Served within this page", "weather-service", "Instruction", "Prompt"],
  },
  {
    title: "Actions",
    address: "#/actions",
    async fill(page) {
      await page.getByRole("combobox", { name: "Action" }).selectOption({ label: "Book a train" })
      await page.getByRole("button", { name: "Run both" }).click()
      await page.getByLabel("Train", { exact: true }).selectOption({ label: "nj-40" })
      await page.getByRole("button", { name: "Run both" }).click()
      await eventually(() => page.getByRole("region", { name: "It asks" }).count()).toBe(2)
      await page.getByLabel("Passenger").first().fill("Ada")
      await page.getByRole("button", { name: "Resume" }).first().click()
      await page.getByLabel("Output").waitFor()
    },
    stops: ["Action", "form", "Train", "Seats", "Run both", "Output", "Passenger", "Agree", "Resume", "As the host sends it"],
  },
  {
    title: "WebMCP",
    address: "#/webmcp",
    async fill(page) {
      const row = page.getByRole("list", { name: "Registered tools" }).locator('[data-tool="mix_color"]')
      await row.locator("summary").click()
      await row.getByLabel("Name").fill("plum")
      await row.getByLabel("Hex").fill("#6b3a6e")
      await row.getByRole("button", { name: "Call tool" }).click()
      await page.getByLabel("Colour of plum").waitFor()
      await eventually(() => row.getByLabel("Answer").innerText()).toBe("plum is #6b3a6e.")
    },
    stops: ["Colour of ink", "Remove ink", "mix_color", "Name", "Call tool", "remove_color"],
  },
]

for (const { title, address, fill, stops } of PAGES) {
  test(`${title}: cared for on a wide screen, on a narrow one and in the dark, and its text can be read`, async () => {
    const page = await playground.goto(address, { viewport: WIDE, colorScheme: "light" })
    await fill(page)
    expect(await page.title()).toBe(`${title} · react-tool-client playground`)
    const name = title.toLowerCase()
    await portrait(page, name)
    expect(await lowContrast(page)).toEqual([])
    expect(await axeFaults(page)).toEqual([])
    await page.emulateMedia({ colorScheme: "dark" })
    expect(await lowContrast(page)).toEqual([])
    await portrait(page, `${name}-dark`)
    await page.emulateMedia({ colorScheme: "light" })
    await page.setViewportSize({ width: NARROW, height: 844 })
    await portrait(page, `${name}-narrow`)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(NARROW)
    // What is beside the page on a wide screen is a button away on a narrow one, and so is the way back.
    const aside = page.getByRole("complementary", { name: /^The (agent|host)$/ })
    const halves = page.getByRole("group", { name: "In sight" }).getByRole("button")
    expect(await aside.count()).toBe(0)
    await halves.last().click()
    expect(await page.getByRole("main").count()).toBe(0)
    expect(await aside.isVisible()).toBe(true)
    expect(await lowContrast(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(NARROW)
    await portrait(page, `${name}-narrow-aside`)
    await halves.first().click()
    expect(await page.getByRole("main").isVisible()).toBe(true)
    await page.getByRole("link", { name: /^Skip to the/ }).press("Enter")
    await eventually(() => aside.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await page.evaluate(() => location.hash)).toBe(address)
  })

  test(`${title}: Tab goes through it in the order in which it is read`, async () => {
    const page = await playground.goto(address)
    await fill(page)
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    await page.evaluate(() => getSelection()?.removeAllRanges())
    await page.getByRole("heading", { level: 1 }).evaluate((heading) => heading.focus())
    for (const stop of stops) await tabTo(page, stop, true)
  })
}

test("A link to another page leads there with the focus, back and forward too", async () => {
  const page = await playground.goto("#/actions")
  await page.getByTestId("action-count").getByText("5").waitFor()
  await tabTo(page, "Skip to the host")
  await tabTo(page, "WebMCP")
  await page.keyboard.press("Enter")
  await eventually(() => focused(page)).toBe("WebMCP")
  await page.getByRole("heading", { name: "WebMCP", level: 1 }).waitFor()
  await tabTo(page, "Colour of ink")
  await page.goBack()
  await page.getByRole("heading", { name: "Actions", level: 1 }).waitFor()
  expect(await page.getByRole("link", { name: "Actions" }).getAttribute("aria-current")).toBe("page")
  await page.goForward()
  await page.getByRole("heading", { name: "WebMCP", level: 1 }).waitFor()
})
