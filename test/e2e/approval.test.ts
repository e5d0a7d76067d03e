import type { Page } from "playwright"
import { expect, test } from "vitest"
import { eventually } from "./support/eventually.ts"
import { picture, withPlayground } from "./support/withPlayground.ts"

const playground = withPlayground()

const ADDRESS = { deliver_to: { street: "Lindengasse 4", postcode: "1070", city: "Vienna" } }

const dialogOf = (page: Page) => page.getByRole("dialog", { name: "The agent asks" })

/** A page with a full cart, and an order that waits for a person. */
async function openWithOrder() {
  const opened = await playground.open()
  await opened.agent.call("client__web__add_to_cart", { product: "mug", quantity: 2 })
  const callId = await opened.agent.start("client__web__checkout", ADDRESS)
  await dialogOf(opened.page).waitFor()
  return { ...opened, callId, row: opened.page.getByRole("list", { name: "Calls, newest first" }).getByRole("listitem").first() }
}

test("A person's click approves, and the call is answered so", async () => {
  const { page, agent, callId, row } = await openWithOrder()
  expect(await dialogOf(page).innerText()).toContain("2 × Stoneware mug")
  await picture(page, "approval")
  await dialogOf(page).getByRole("button", { name: "Approve" }).click()
  expect(await agent.join(callId)).toMatchObject({ is_error: false, text: "Ordered for €36.00. The parcel goes to Vienna." })
  expect(await page.getByRole("region", { name: "Order" }).innerText()).toContain("2 items for €36.00")
  await row.locator("summary").click()
  expect(await row.innerText()).toContain("approved by person")
})

test("A click by the page's own script does not count", async () => {
  const { page, agent, callId } = await openWithOrder()
  const approve = dialogOf(page).getByRole("button", { name: "Approve" })
  await approve.evaluate((button: HTMLButtonElement) => {
    button.click()
    button.dispatchEvent(new MouseEvent("click", { bubbles: true }))
    button.focus()
    button.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))
  })
  expect(await approve.isVisible()).toBe(true)
  expect(await page.getByRole("region", { name: "Order" }).count()).toBe(0)
  // It still waits for a person, who may say no.
  await dialogOf(page).getByRole("button", { name: "Refuse" }).click()
  expect(await agent.join(callId)).toMatchObject({ is_error: false, text: "Nothing was ordered: the person did not agree." })
})

test("Escape refuses, and nothing happens", async () => {
  const { page, agent, callId, row } = await openWithOrder()
  await page.keyboard.press("Escape")
  expect(await agent.join(callId)).toMatchObject({ text: "Nothing was ordered: the person did not agree." })
  expect(await page.getByLabel("Quantity of Stoneware mug").innerText()).toBe("2")
  await eventually(() => dialogOf(page).count()).toBe(0)
  await row.locator("summary").click()
  expect(await row.innerText()).toContain("refused by")
})

test("Keys that were meant for something else decide nothing", async () => {
  const { page, agent, callId } = await openWithOrder()
  await page.keyboard.press("Enter")
  await page.keyboard.press("Space")
  await page.keyboard.type("yes")
  expect(await dialogOf(page).isVisible()).toBe(true)
  await page.keyboard.press("Tab")
  await page.keyboard.press("Tab")
  await page.keyboard.press("Enter")
  expect(await agent.join(callId)).toMatchObject({ text: "Ordered for €36.00. The parcel goes to Vienna." })
})

test("The question goes away when the agent cancels the call", async () => {
  const { page, agent, callId, row } = await openWithOrder()
  await agent.cancel(callId)
  await eventually(() => dialogOf(page).count()).toBe(0)
  await eventually(() => row.getAttribute("data-phase")).toBe("failed")
  expect(await page.getByLabel("Quantity of Stoneware mug").innerText()).toBe("2")
})

test("Two questions are asked one after the other", async () => {
  const { page, agent, callId } = await openWithOrder()
  await agent.call("client__web__fill_contact_form", { name: "Ada", email: "ada@example.org", message: "Where is my parcel?" })
  const second = await agent.start("client__web__send_contact_form")
  await eventually(() => dialogOf(page).innerText()).toContain("1 more waiting")
  await dialogOf(page).getByRole("button", { name: "Refuse" }).click()
  await eventually(() => dialogOf(page).innerText()).toContain("Where is my parcel?")
  await dialogOf(page).getByRole("button", { name: "Approve" }).click()
  expect(await agent.join(callId)).toMatchObject({ text: "Nothing was ordered: the person did not agree." })
  expect(await agent.join(second)).toMatchObject({ text: "Sent. The answer goes to ada@example.org." })
})

test("A form that is not complete is not even asked about", async () => {
  const { page, agent } = await playground.open()
  const answer = await agent.call("client__web__send_contact_form")
  expect(answer.is_error).toBe(true)
  expect(answer.text).toContain("name: a name is missing")
  expect(await dialogOf(page).count()).toBe(0)
  expect(await page.getByRole("textbox", { name: "Name" }).getAttribute("aria-invalid")).toBe("true")
})
