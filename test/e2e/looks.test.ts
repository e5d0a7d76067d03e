import { expect, test } from "vitest"
import { eventually } from "./support/eventually.ts"
import { focused, tabTo } from "./support/focus.ts"
import { lowContrast } from "./support/lowContrast.ts"
import { picture, withPlayground } from "./support/withPlayground.ts"

const playground = withPlayground()

test("Everything can be done by the keyboard alone", async () => {
  const { page } = await playground.open()
  await tabTo(page, "Skip to the agent")
  await page.keyboard.press("Enter")
  await tabTo(page, "Chat")
  await page.keyboard.press("ArrowRight")
  expect(await focused(page)).toBe("Console")
  await tabTo(page, "Tool")
  await page.keyboard.type("add_todo")
  await tabTo(page, "Title")
  await page.keyboard.type("By keyboard")
  await page.keyboard.press("Enter")
  const answer = page.getByRole("article", { name: "Call of add_todo" })
  await eventually(() => answer.innerText()).toContain("By keyboard")
  await tabTo(page, "Answer")
  // The list of calls unfolds by the keyboard too.
  await page.keyboard.press("Tab")
  await page.keyboard.press("Enter")
  expect(await page.getByRole("list", { name: "Calls, newest first" }).getByLabel("Answer").isVisible()).toBe(true)
  // From the end of the page on to its beginning: the application itself.
  await tabTo(page, "Done: Book the train to Vienna")
  await page.keyboard.press("Space")
  expect(await page.getByLabel("Done: Book the train to Vienna").isChecked()).toBe(true)
  await tabTo(page, "Call the dentist")
  await page.keyboard.press("Enter")
  // The button that had the focus is gone: the focus is on the page that it led to.
  await eventually(() => focused(page)).toContain("All to-dos")
})

test("An agent that navigates does not take the focus away", async () => {
  const { page, agent } = await playground.open()
  await page.getByRole("textbox", { name: "Message", exact: true }).focus()
  await agent.call("client__web__open_todo", { id: "call-dentist" })
  expect(await focused(page)).toBe("Message")
  await page.keyboard.type("still here")
  expect(await page.getByRole("textbox", { name: "Message", exact: true }).inputValue()).toBe("still here")
})

test("The page follows the system's colour scheme, and its text can be read in both", async () => {
  const { page, agent } = await playground.open({ colorScheme: "light" })
  const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await agent.call("client__web__add_to_cart", { product: "mug", quantity: 2 })
  await agent.call("client__web__add_to_cart", { product: "sofa" })
  await agent.start("client__web__compare_prices", { product: "mug" })
  await agent.start("client__web__compare_prices", { product: "seeds" })
  await page.getByRole("progressbar", { name: "Asking Hafenkontor" }).waitFor()
  const light = await background()
  expect(await lowContrast(page)).toEqual([])
  await picture(page, "light")
  await page.emulateMedia({ colorScheme: "dark" })
  await eventually(background).not.toBe(light)
  expect(await lowContrast(page)).toEqual([])
  await picture(page, "dark")
})

test("Nothing sticks out of a narrow screen", async () => {
  const { page, agent } = await playground.open({ viewport: { width: 360, height: 740 } })
  await agent.call("client__web__add_to_cart", { product: "coffee-maker", quantity: 12 })
  await agent.call("client__web__add_todo", { title: "A".repeat(80), tags: ["one", "two", "three"], priority: "high" })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await picture(page, "narrow")
  await agent.start("client__web__checkout", { deliver_to: { street: "Lindengasse 4", postcode: "1070", city: "Vienna" } })
  const box = await page.getByRole("dialog").boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360)
})
