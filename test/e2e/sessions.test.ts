import { expect, test } from "vitest"
import { eventually } from "./support/eventually.ts"
import { withPlayground } from "./support/withPlayground.ts"

const playground = withPlayground()

const clientsOf = (names: readonly string[]): string[] => [...new Set(names.map((name) => name.split("__")[1] ?? ""))].sort()

test("A reload keeps the session, and the tools come back under the same name, once", async () => {
  const { page, sessionId, agent } = await playground.open()
  const before = await agent.names()
  for (let load = 0; load < 2; load++) {
    await page.reload()
    const reloaded = await playground.waitUntilLive(page)
    expect(reloaded.sessionId).toBe(sessionId)
    expect(await page.getByTestId("client-name").innerText()).toBe("web")
    expect(await agent.names()).toEqual(before)
  }
  expect(await agent.call("client__web__add_todo", { title: "After the reload" })).toMatchObject({ is_error: false })
  expect(await page.getByText("After the reload").first().isVisible()).toBe(true)
})

test("A call that runs while its page is reloaded is answered with what became of it", async () => {
  const { page, agent } = await playground.open()
  const callId = await agent.start("client__web__compare_prices", { product: "mug" })
  await page.getByRole("progressbar").waitFor()
  await page.reload()
  const answer = await agent.join(callId)
  expect(answer.is_error).toBe(true)
  expect(answer.text).toMatch(/may have run/)
})

test("Two tabs of one session serve under different names, and each is called by its own", async () => {
  const { page, context, sessionId, agent } = await playground.open()
  const opening = context.waitForEvent("page")
  await page.getByRole("link", { name: "Second tab" }).click()
  const second = await playground.waitUntilLive(await opening)
  expect(second.sessionId).toBe(sessionId)
  expect(await second.page.getByTestId("client-name").innerText()).toBe("web_2")
  expect(clientsOf(await agent.names())).toEqual(["web", "web_2"])
  await agent.call("client__web_2__add_todo", { title: "Only in the second" })
  expect(await second.page.getByText("Only in the second").first().isVisible()).toBe(true)
  expect(await page.getByText("Only in the second").count()).toBe(0)
  // The console of the first tab finds the second's tools too.
  await page.getByRole("tab", { name: "Console" }).click()
  await eventually(() => page.getByRole("region", { name: "Agent console" }).getByText("24 tools").count()).toBe(1)
  await second.page.reload()
  await playground.waitUntilLive(second.page)
  expect(await second.page.getByTestId("client-name").innerText()).toBe("web_2")
  await second.page.close({ runBeforeUnload: true })
  await eventually(async () => clientsOf(await agent.names())).toEqual(["web"])
})

test("A tab that starts with a copy of another's storage is a client of its own", async () => {
  const { page, context, agent } = await playground.open()
  const opening = context.waitForEvent("page")
  // Browsers copy sessionStorage to what a page opens, as they do when a tab is duplicated.
  await page.evaluate(() => void window.open(location.href))
  const copy = await playground.waitUntilLive(await opening)
  expect(await copy.page.getByTestId("client-name").innerText()).toBe("web_2")
  expect(clientsOf(await agent.names())).toEqual(["web", "web_2"])
})

test("More tabs than a browser has connections to one host all serve", { timeout: 90_000 }, async () => {
  const { page, context, agent } = await playground.open()
  const url = page.url()
  // Over HTTP/1.1 Chromium has six, which six streams over fetch would take for good.
  const tabs = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const tab = await context.newPage()
      await tab.goto(url)
      return playground.waitUntilLive(tab)
    }),
  )
  expect(tabs).toHaveLength(6)
  const clients = clientsOf(await agent.names())
  expect(clients).toHaveLength(7)
  const answers = await Promise.all(clients.map((client) => agent.call(`client__${client}__search_products`, { query: "mug" })))
  expect(answers.every(({ is_error }) => !is_error)).toBe(true)
})

test("A new session has tools of its own", async () => {
  const { page, sessionId } = await playground.open()
  await page.getByRole("link", { name: "New session" }).click()
  await eventually(() => page.getByTestId("session-id").innerText()).not.toBe(sessionId)
  const fresh = await playground.waitUntilLive(page)
  expect(await page.getByTestId("client-name").innerText()).toBe("web")
  expect(clientsOf(await fresh.agent.names())).toEqual(["web"])
})

test("A page that was offline serves again by itself", async () => {
  const { page, context, agent } = await playground.open({})
  playground.expectProblem("ERR_INTERNET_DISCONNECTED")
  playground.expectProblem("SessionError")
  await context.setOffline(true)
  const callId = await agent.start("client__web__add_todo", { title: "Sent while offline" })
  await context.setOffline(false)
  expect(await agent.join(callId)).toMatchObject({ is_error: false })
  await eventually(() => page.getByText("Sent while offline").count()).toBeGreaterThan(0)
  expect(clientsOf(await agent.names())).toEqual(["web"])
})
