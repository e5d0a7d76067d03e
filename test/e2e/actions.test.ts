import type { Page } from "playwright"
import { expect, test } from "vitest"
import { eventually } from "./support/eventually.ts"
import { picture, withPlayground } from "./support/withPlayground.ts"

const playground = withPlayground()

const SIDES = ["In process", "Across HTTP"] as const

const actionOf = (page: Page) => page.getByRole("region", { name: "Action", exact: true })

const sideOf = (page: Page, side: (typeof SIDES)[number]) => page.getByRole("region", { name: side, exact: true })

const statusOf = (page: Page, side: (typeof SIDES)[number]): Promise<string> => sideOf(page, side).getByRole("status").innerText()

async function openActions(action: string): Promise<Page> {
  const page = await playground.goto("#/actions")
  await actionOf(page).getByLabel("Action").selectOption({ label: action })
  return page
}

const run = (page: Page): Promise<void> => actionOf(page).getByRole("button", { name: "Run both" }).click()

async function outputOf(page: Page, side: (typeof SIDES)[number]): Promise<unknown> {
  await eventually(() => statusOf(page, side)).toBe("completed")
  return JSON.parse(await sideOf(page, side).getByLabel("Output").innerText())
}

test("One call gives the same in this process and across HTTP, and only one of them is a request", async () => {
  const page = await openActions("Search trains")
  const requests: string[] = []
  page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await run(page)
  for (const side of SIDES) {
    expect(await outputOf(page, side)).toMatchObject({ trains: [{ id: "nj-40", price: 89 }, { id: "rj-533" }] })
  }
  expect(await actionOf(page).getByText("same output").isVisible()).toBe(true)
  expect(requests).toEqual(["POST /api/client/actions/trainsSearch"])
  await picture(page, "actions")
})

test("An interrupt is shown with a form for its answer, and the call goes on with it", async () => {
  const page = await openActions("Book a train")
  await actionOf(page).getByLabel("Train", { exact: true }).selectOption({ label: "rj-533" })
  await actionOf(page).getByLabel("Seats").fill("2")
  await run(page)
  for (const side of SIDES) {
    const question = sideOf(page, side).getByRole("region", { name: "It asks" })
    await eventually(() => question.innerText()).toContain("Book 2 seats on rj-533 for €148?")
    await question.getByLabel("Passenger").fill("Ada")
  }
  await picture(page, "actions-interrupt")
  for (const side of SIDES) {
    await sideOf(page, side).getByRole("button", { name: "Resume" }).click()
    expect(await outputOf(page, side)).toEqual({ booked: true, passenger: "Ada", price: 148 })
    // What was emitted before the pause and after it.
    expect(await sideOf(page, side).getByRole("region", { name: "Items" }).getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringMatching(/offer.*"price":148/s),
      expect.stringMatching(/ticket.*"passenger":"Ada"/s),
    ])
  }
})

test("Items are the conversation's: the next call finds what the one before it left", async () => {
  const page = await openActions("Remember")
  for (const [text, before] of [["first", null], ["second", "first"]] as const) {
    await actionOf(page).getByLabel("Text").fill(text)
    await run(page)
    for (const side of SIDES) await eventually(() => outputOf(page, side)).toEqual({ before })
  }
  for (const side of SIDES) expect(await sideOf(page, side).getByRole("region", { name: "Items" }).getByRole("listitem").count()).toBe(2)
})

test("A throw and refused input fail alike on both sides", async () => {
  const page = await openActions("Divide")
  playground.expectProblem("500")
  await actionOf(page).getByLabel("Dividend").fill("1")
  await actionOf(page).getByLabel("Divisor").fill("0")
  await run(page)
  for (const side of SIDES) {
    await eventually(() => statusOf(page, side)).toBe("failed")
    expect(await sideOf(page, side).getByLabel("Error: failed").innerText()).toContain("There is no division by 0.")
  }
  await actionOf(page).getByLabel("Divisor").fill("")
  await run(page)
  for (const side of SIDES) await eventually(() => sideOf(page, side).getByLabel("Error: invalid_input").innerText()).toContain("divisor")
})

test("A call that is given up is over, on either side", async () => {
  const page = await openActions("Wait")
  await run(page)
  for (const side of SIDES) {
    await eventually(() => statusOf(page, side)).toBe("running")
    await sideOf(page, side).getByRole("button", { name: "Give up" }).click()
    await eventually(() => statusOf(page, side)).toBe("idle")
  }
})

test("The host's manifest is shown, and served to those who may see it", async () => {
  const page = await openActions("Divide")
  const host = page.getByRole("complementary", { name: "The host" })
  expect(await host.getByRole("list", { name: "Actions of Trains" }).getByRole("listitem").allInnerTexts()).toEqual(["trainsSearch", "trainsBook"])
  expect(await page.getByTestId("action-count").innerText()).toBe("5")
  const status = async (init?: RequestInit): Promise<number> => (await fetch(`${playground.url}/api/client/schema`, init)).status
  expect(await status()).toBe(200)
  expect(await status({ headers: { origin: "https://elsewhere.example" } })).toBe(403)
})
