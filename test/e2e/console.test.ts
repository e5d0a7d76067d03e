import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Page } from "playwright"
import { expect, test } from "vitest"
import { eventually } from "./support/eventually.ts"
import { picture, withPlayground } from "./support/withPlayground.ts"

const playground = withPlayground()

const openConsole = () => playground.open(undefined, "#/?agent=console")

const consoleOf = (page: Page) => page.getByRole("region", { name: "Agent console" })

const pick = (page: Page, tool: string): Promise<unknown> =>
  consoleOf(page).getByLabel("Tool", { exact: true }).selectOption(`client__web__${tool}`)

const call = (page: Page): Promise<void> => consoleOf(page).getByRole("button", { name: "Call tool" }).click()

test("The console makes a form of a tool's schema, calls the tool and shows its answer", async () => {
  const { page } = await openConsole()
  const agent = consoleOf(page)
  await pick(page, "add_todo")
  await agent.getByLabel("Title").fill("Paint the shed")
  await agent.getByLabel("Priority").selectOption("high")
  await agent.getByRole("button", { name: "Add to tags" }).click()
  await agent.getByLabel("Tags 1", { exact: true }).fill("garden")
  await call(page)
  await eventually(() => agent.getByRole("article", { name: "Call of add_todo" }).getByLabel("Answer").innerText()).toContain('"garden"')
  const item = page.getByRole("list", { name: "To-dos" }).getByRole("listitem").filter({ hasText: "Paint the shed" })
  expect(await item.innerText()).toMatch(/garden\s+high/)
  await picture(page, "console")
})

test("A nested object and a check box make their arguments too", async () => {
  const { page, agent } = await openConsole()
  await agent.call("client__web__add_to_cart", { product: "desk-lamp" })
  await pick(page, "checkout")
  const form = consoleOf(page)
  const address = form.getByRole("group", { name: "Deliver to" })
  await address.getByLabel("Street").fill("Lindengasse 4")
  await address.getByLabel("Postcode").fill("1070")
  await address.getByLabel("City").fill("Vienna")
  await form.getByLabel("Gift wrap").check()
  await call(page)
  const dialog = page.getByRole("dialog", { name: "The agent asks" })
  await eventually(() => dialog.innerText()).toMatch(/Desk lamp\s+wrapped as a gift\s+To Lindengasse 4, 1070 Vienna/)
  await dialog.getByRole("button", { name: "Approve" }).click()
  await eventually(() => form.getByRole("article", { name: "Call of checkout" }).innerText()).toContain("Ordered for €89.00")
})

test("Arguments can be written as JSON, also such as the schema refuses", async () => {
  const { page } = await openConsole()
  const agent = consoleOf(page)
  await pick(page, "add_to_cart")
  await agent.getByRole("button", { name: "JSON" }).click()
  await agent.getByLabel("Arguments as JSON").fill('{"product": ')
  await call(page)
  expect(await agent.getByRole("alert").isVisible()).toBe(true)
  await agent.getByLabel("Arguments as JSON").fill('{"product": "sofa"}')
  await call(page)
  await eventually(() => agent.getByRole("article", { name: "Call of add_to_cart" }).innerText()).toMatch(/error.*product/s)
  await agent.getByLabel("Arguments as JSON").fill('{"product": "mug", "quantity": 3}')
  await agent.getByRole("button", { name: "form" }).click()
  expect(await agent.getByLabel("Quantity").inputValue()).toBe("3")
})

test("A running call is cancelled from the console", async () => {
  const { page } = await openConsole()
  const agent = consoleOf(page)
  await pick(page, "compare_prices")
  await agent.getByLabel("Product").selectOption({ label: "mug" })
  await call(page)
  const answer = agent.getByRole("article", { name: "Call of compare_prices" })
  await answer.getByRole("button", { name: "Cancel" }).click()
  await eventually(() => answer.innerText()).toMatch(/error[\s\S]*cancel/i)
  const row = page.getByRole("list", { name: "Calls, newest first" }).getByRole("listitem")
  await eventually(() => row.getAttribute("data-phase")).toBe("failed")
})

test("A tool that goes away stays picked, and calling it says what there is instead", async () => {
  const { page, agent } = await openConsole()
  await pick(page, "add_todo")
  await consoleOf(page).getByLabel("Title").fill("Too late")
  await agent.call("client__web__open_todo", { id: "call-dentist" })
  await eventually(() => consoleOf(page).locator("option:checked").first().innerText()).toBe("add_todo (not offered now)")
  // The browser itself reports the server's 404.
  playground.expectProblem("404")
  await call(page)
  await eventually(() => consoleOf(page).getByRole("article", { name: "Call of add_todo" }).innerText()).toContain("client__web__close_todo")
})

test("The curl line is the call that the form would make", async () => {
  const { page, sessionId, context } = await openConsole()
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  await pick(page, "add_todo")
  await consoleOf(page).getByLabel("Title").fill("It's a 'quoted' title")
  await consoleOf(page).getByRole("button", { name: "Copy as curl" }).click()
  const line = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
  await eventually(line).toMatch(/^curl /)
  const { stdout } = await promisify(execFile)("sh", ["-c", (await line()).replace(/^curl/, "printf '<%s>'")])
  expect(stdout).toBe(
    [
      "-s",
      `${playground.url}/playground/sessions/${sessionId}/tool-calls`,
      "-H",
      "Content-Type: application/json",
      "-d",
      JSON.stringify({ tool: "client__web__add_todo", arguments: { title: "It's a 'quoted' title", priority: "normal" } }),
    ]
      .map((word) => `<${word}>`)
      .join(""),
  )
})
