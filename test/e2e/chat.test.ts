import type { Page } from "playwright"
import { expect, test } from "vitest"
import { chatModelOf } from "../../playground/server/chat/chatModel.ts"
import { eventually } from "./support/eventually.ts"
import { picture, withPlayground } from "./support/withPlayground.ts"

const playground = withPlayground()

const chatOf = (page: Page) => page.getByRole("region", { name: "Chat" })

const turnOf = (page: Page, question: string) => chatOf(page).getByRole("article", { name: question }).last()

const isOver = (page: Page): Promise<void> => chatOf(page).getByRole("button", { name: "Send" }).waitFor()

async function say(page: Page, text: string) {
  await isOver(page)
  await chatOf(page).getByLabel("Message to the agent").fill(text)
  await page.keyboard.press("Enter")
  return turnOf(page, text)
}

const phasesOf = (turn: ReturnType<typeof turnOf>): Promise<(string | null)[]> =>
  turn
    .getByRole("list", { name: "Calls of the agent" })
    .getByRole("listitem")
    .evaluateAll((items) => items.map((item) => `${item.dataset["tool"]} ${item.dataset["phase"]}`))

test("A suggestion is answered: the agent calls the page's tools in parallel, and says what came of it", async () => {
  const { page } = await playground.open()
  await chatOf(page).getByRole("button", { name: "Add milk and bread to my list" }).click()
  const turn = turnOf(page, "Add milk and bread to my list")
  await eventually(() => turn.innerText()).toContain("Milk and Bread are on your list now.")
  expect(await phasesOf(turn)).toEqual(["add_todo answered", "add_todo answered"])
  await isOver(page)
  // The keyboard goes on where the person was.
  expect(await chatOf(page).getByLabel("Message to the agent").evaluate((field) => field === document.activeElement)).toBe(true)
  const todos = page.getByRole("list", { name: "To-dos" })
  expect(await todos.getByText("Milk", { exact: true }).count()).toBe(1)
  expect(await todos.getByText("Bread", { exact: true }).count()).toBe(1)
  // A call unfolds to what was asked and answered.
  const call = turn.getByRole("listitem").first()
  await call.locator("summary").click()
  expect(await call.getByLabel("Arguments").innerText()).toContain('"Milk"')
  await picture(page, "chat")
})

test("A tool that the page offers only from the second step on is called in the third, and a person approves", async () => {
  const { page } = await playground.open()
  const turn = await say(page, "Check out")
  const dialog = page.getByRole("dialog", { name: "The agent asks" })
  await dialog.waitFor()
  await eventually(() => phasesOf(turn)).toEqual(["read_cart answered", "add_to_cart answered", "checkout running"])
  await picture(page, "chat-approval")
  await dialog.getByRole("button", { name: "Approve" }).click()
  await eventually(() => turn.innerText()).toContain("Ordered for €18.00. The parcel goes to Vienna.")
  const next = await say(page, "What is in my cart?")
  await eventually(() => next.innerText()).toContain("Your cart is empty.")
})

test("Stop ends the agent and the call that runs", async () => {
  const { page } = await playground.open()
  const turn = await say(page, "Compare prices of the mug")
  await turn.getByRole("progressbar").waitFor()
  expect(await phasesOf(turn)).toEqual(["compare_prices running"])
  await chatOf(page).getByRole("button", { name: "Stop" }).click()
  await eventually(() => phasesOf(turn)).toEqual(["compare_prices failed"])
  await eventually(() => turn.innerText()).toContain("Stopped.")
  // What was stopped is no obstacle to what is said next.
  const next = await say(page, "What is on my list?")
  await eventually(() => next.innerText()).toContain("2 to do: Book the train to Vienna and Call the dentist.")
})

test("What a tool refuses is told to the agent, which says so", async () => {
  const { page } = await playground.open()
  const turn = await say(page, 'add_to_cart {"product": "sofa"}')
  await eventually(() => turn.innerText()).toMatch(/That did not work\. add_to_cart says: .*product/s)
  expect(await phasesOf(turn)).toEqual(["add_to_cart answered"])
  const unknown = await say(page, "Sing a song")
  await eventually(() => unknown.innerText()).toContain("I am a script, not a model")
})

test("The pages of the session are told while the agent works", async () => {
  const { page, sessionId } = await playground.open()
  const second = await playground.goto(`?session=${sessionId}`)
  await playground.waitUntilLive(second)
  const turn = await say(page, "Compare prices of the seeds")
  await turn.getByRole("progressbar").waitFor()
  for (const tab of [page, second]) await tab.getByTestId("agent-state").getByText("working").waitFor()
  await chatOf(page).getByRole("button", { name: "Stop" }).click()
  for (const tab of [page, second]) await tab.getByTestId("agent-state").getByText("idle").waitFor()
})

test("In two tabs each chat works with the tools of its own", async () => {
  const { page, sessionId } = await playground.open()
  const second = await playground.goto(`?session=${sessionId}`)
  await playground.waitUntilLive(second)
  const turn = await say(second, "Add eggs to my list")
  await eventually(() => turn.innerText()).toContain("Eggs is on your list now.")
  expect(await second.getByRole("list", { name: "To-dos" }).getByText("Eggs").count()).toBe(1)
  expect(await page.getByRole("list", { name: "To-dos" }).getByText("Eggs").count()).toBe(0)
})

test("A tool that only another tab offers is called there, and shown with its tab", async () => {
  const { page, sessionId } = await playground.open()
  const second = await playground.goto(`?session=${sessionId}`)
  const { agent } = await playground.waitUntilLive(second)
  await agent.call("client__web_2__open_todo", { id: "call-dentist" })
  const turn = await say(second, "Add eggs to my list")
  await eventually(() => turn.innerText()).toContain("Eggs is on your list now.")
  expect(await phasesOf(turn)).toEqual(["add_todo answered"])
  const call = turn.getByRole("listitem").first()
  expect(await call.innerText()).toMatch(/web$/)
  await call.locator("summary").click()
  expect(await call.getByLabel("Answer").innerText()).toContain('"Eggs"')
  expect(await page.getByRole("list", { name: "To-dos" }).getByText("Eggs").count()).toBe(1)
})

test("A chat is kept while the console is shown, and New chat forgets it", async () => {
  const { page } = await playground.open()
  const turn = await say(page, "What is in my cart?")
  await eventually(() => turn.innerText()).toContain("Your cart is empty.")
  await isOver(page)
  await page.getByRole("tab", { name: "Console" }).click()
  await page.getByRole("region", { name: "Agent console" }).getByLabel("Tool", { exact: true }).waitFor()
  await page.getByRole("tab", { name: "Chat" }).click()
  expect(await turn.innerText()).toContain("Your cart is empty.")
  await chatOf(page).getByRole("button", { name: "New chat" }).click()
  expect(await chatOf(page).getByRole("article").count()).toBe(0)
})

test("A request that is none is refused with its reason", async () => {
  const { sessionId } = await playground.open()
  const post = async (body: string, session = sessionId, origin?: string): Promise<[number, string]> => {
    const response = await fetch(`${playground.url}/playground/sessions/${session}/chat`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(origin !== undefined && { origin }) },
      body,
    })
    return [response.status, await response.text()]
  }
  const good = JSON.stringify({ clientName: "web", messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "Hello" }] }] })
  expect(await post("{")).toMatchObject([400, expect.stringContaining("expected object")])
  expect(await post('{"clientName": "web", "messages": [{"role": 1}]}')).toMatchObject([400, expect.stringContaining("role")])
  expect(await post(good, "elsewhere")).toMatchObject([404, expect.stringContaining("elsewhere")])
  expect(await post(good, sessionId, "https://elsewhere.example")).toMatchObject([403, expect.any(String)])
  expect(await post(good)).toMatchObject([200, expect.stringContaining("text-delta")])
})

test("A provider's model answers where its key is in the environment, else the script", () => {
  expect(chatModelOf({}).name).toBe("scripted")
  const openai = chatModelOf({ OPENAI_API_KEY: "key" })
  expect([openai.name, openai.model("web")]).toMatchObject(["gpt-5-mini", { provider: expect.stringMatching(/^openai/), modelId: "gpt-5-mini" }])
  const anthropic = chatModelOf({ ANTHROPIC_API_KEY: "key", ANTHROPIC_MODEL: "claude-sonnet-5" })
  expect([anthropic.name, anthropic.model("web")]).toMatchObject(["claude-sonnet-5", { provider: expect.stringMatching(/^anthropic/) }])
})
