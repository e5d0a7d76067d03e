import { expect, test } from "vitest"
import { eventually } from "./support/eventually.ts"
import { picture, withPlayground } from "./support/withPlayground.ts"

const playground = withPlayground()

const TOOLS_AT_FIRST = [
  "add_to_cart",
  "add_todo",
  "compare_prices",
  "complete_todo",
  "fill_contact_form",
  "list_todos",
  "open_todo",
  "read_cart",
  "read_contact_form",
  "remove_todo",
  "search_products",
  "send_contact_form",
]

const named = (tools: readonly string[]): string[] => tools.map((tool) => `client__web__${tool}`)

test("The page opens with a session, and its tools are live", async () => {
  const { page, sessionId, agent } = await playground.open()
  expect(sessionId).toMatch(/^[\w-]{16,}$/)
  expect(new URL(page.url()).searchParams.get("session")).toBe(sessionId)
  expect([...(await agent.names())].sort()).toEqual(named(TOOLS_AT_FIRST))
  await eventually(() => page.getByTestId("tools-live").innerText()).toBe(String(TOOLS_AT_FIRST.length))
})

test("An agent's call over HTTP changes the page and is answered", async () => {
  const { page, agent } = await playground.open()
  const answer = await agent.call("client__web__add_todo", { title: "Buy oat milk", tags: ["food"] })
  expect(answer.is_error).toBe(false)
  expect(JSON.parse(answer.text)).toMatchObject({ added: { title: "Buy oat milk", priority: "normal", tags: ["food"] } })
  // No waiting: what a call caused is rendered before its answer.
  expect(await page.getByRole("list", { name: "To-dos" }).getByText("Buy oat milk").isVisible()).toBe(true)
  const row = page.getByRole("list", { name: "Calls, newest first" }).getByRole("listitem").first()
  await eventually(() => row.getAttribute("data-phase")).toBe("answered")
  await row.locator("summary").click()
  await eventually(() => row.getByLabel("Answer").innerText()).toContain("Buy oat milk")
  await picture(page, "answered")
})

test("The model's next call sees what the one before it made", async () => {
  const { agent } = await playground.open()
  const { added } = JSON.parse((await agent.call("client__web__add_todo", { title: "Sharpen pencils" })).text) as { added: { id: string } }
  expect(await agent.call("client__web__complete_todo", { id: added.id })).toMatchObject({ is_error: false })
  const todos = JSON.parse((await agent.call("client__web__list_todos")).text) as { id: string; isDone: boolean }[]
  expect(todos.find(({ id }) => id === added.id)?.isDone).toBe(true)
})

test("Refused arguments are answered with the reason and change nothing", async () => {
  const { page, agent } = await playground.open()
  const answer = await agent.call("client__web__add_to_cart", { product: "sofa", quantity: 0 })
  expect(answer.is_error).toBe(true)
  expect(answer.text).toContain("product")
  expect(answer.text).toContain("quantity")
  expect(await page.getByText("Nothing in the cart yet.").isVisible()).toBe(true)
})

test("A tool that is switched off until it makes sense is offered before the answer that made it so", async () => {
  const { page, agent } = await playground.open()
  expect(await agent.names()).not.toContain("client__web__set_quantity")
  await agent.call("client__web__add_to_cart", { product: "mug", quantity: 2 })
  expect(await agent.names()).toContain("client__web__set_quantity")
  await agent.call("client__web__set_quantity", { product: "mug", quantity: 5 })
  expect(await page.getByLabel("Quantity of Stoneware mug").innerText()).toBe("5")
  await agent.call("client__web__set_quantity", { product: "mug", quantity: 0 })
  expect(await agent.names()).not.toContain("client__web__set_quantity")
})

test("A tool that navigates, and so unmounts itself, is answered, and the tools are those of the new page", async () => {
  const { page, agent } = await playground.open()
  expect(await agent.call("client__web__open_todo", { id: "call-dentist" })).toMatchObject({ is_error: false })
  expect(await page.getByRole("region", { name: "To-do: Call the dentist" }).isVisible()).toBe(true)
  const opened = await agent.names()
  expect(opened).toContain("client__web__edit_todo")
  expect(opened).not.toContain("client__web__add_todo")
  expect(await agent.call("client__web__edit_todo", { title: "Call the hygienist" })).toMatchObject({ is_error: false })
  expect(await page.getByLabel("Title", { exact: true }).first().inputValue()).toBe("Call the hygienist")
  expect(await agent.call("client__web__close_todo")).toMatchObject({ is_error: false })
  expect([...(await agent.names())].sort()).toEqual(named(TOOLS_AT_FIRST))
})

test("A slow tool shows how far it is, and stops when the agent cancels it", async () => {
  const { page, agent } = await playground.open()
  const callId = await agent.start("client__web__compare_prices", { product: "mug" })
  const next = await agent.start("client__web__compare_prices", { product: "seeds", suppliers: ["Lumen"] })
  const rows = page.getByRole("list", { name: "Calls, newest first" }).getByRole("listitem")
  const [newer, older] = [rows.nth(0), rows.nth(1)]
  await page.getByRole("progressbar", { name: "Asking Hafenkontor" }).waitFor()
  await picture(page, "running")
  expect(await older.getAttribute("data-phase")).toBe("running")
  // One at a time: the second waits for its turn.
  expect(await newer.getAttribute("data-phase")).toBe("acked")
  expect(await agent.cancel(callId)).toMatchObject({ is_error: true })
  await eventually(() => older.getAttribute("data-phase")).toBe("failed")
  // Its turn is over, so its work has stopped: the second answers, and its prices are the ones that stay.
  expect(await agent.join(next)).toMatchObject({ is_error: false })
  expect(await page.getByRole("list", { name: "Prices of Wildflower seeds" }).getByRole("listitem").count()).toBe(1)
})

test("The API key stays on the server", async () => {
  const { page, sessionId } = await playground.open()
  const sources = await page.evaluate(async () => {
    const urls = performance.getEntriesByType("resource").map(({ name }) => name)
    return Promise.all(urls.filter((url) => url.includes("/src/")).map(async (url) => (await fetch(url)).text()))
  })
  expect(sources.length).toBeGreaterThan(20)
  expect(sources.filter((source) => /Bearer dev|["'`]dev["'`]/.test(source))).toEqual([])
  const status = async (path: string, init?: RequestInit): Promise<number> => (await fetch(playground.url + path, init)).status
  expect(await status(`/v1/sessions/${sessionId}/tools`)).toBe(401)
  expect(await status(`/playground/sessions/${sessionId}/tools`)).toBe(200)
  expect(await status(`/playground/sessions/${sessionId}/tools`, { headers: { origin: "https://elsewhere.example" } })).toBe(403)
  expect(await status(`/playground/sessions/${sessionId}/events`)).toBe(404)
})
