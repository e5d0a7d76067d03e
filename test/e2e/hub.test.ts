import type { Page } from "playwright"
import { expect, test } from "vitest"
import { WebSocket } from "ws"
import { eventually } from "./support/eventually.ts"
import { picture, withPlayground } from "./support/withPlayground.ts"

const playground = withPlayground()

const remotesOf = (page: Page) => page.getByRole("list", { name: "Remotes" })

const remoteOf = (page: Page, remotename: string) => remotesOf(page).locator(`[data-remote="${remotename}"]`)

const weatherOf = (page: Page) => page.getByRole("region", { name: "Weather service" })

/** A tab that serves a remote of this name, once it does. */
async function openHub(remotename = "weather-service"): Promise<Page> {
  const page = await playground.goto(`#/hub?remote=${remotename}`)
  await weatherOf(page).getByText("serving").waitFor()
  await remoteOf(page, remotename).getByText("this tab").waitFor()
  return page
}

/** Unfolds a function of a remote; gives the part of the page that calls it. */
async function unfold(page: Page, remotename: string, name: string) {
  const row = remoteOf(page, remotename).locator("details").filter({ has: page.locator("summary code", { hasText: new RegExp(`^${name}$`) }) })
  await row.locator("summary").click()
  return row
}

async function prompt(page: Page, instruction: string) {
  await page.getByLabel("Instruction").fill(instruction)
  await page.getByRole("button", { name: "Prompt", exact: true }).click()
  return page.getByRole("region", { name: "What the agent did" })
}

test("A second tab calls the first one's remote, and the first one's page changes", async () => {
  const first = await openHub()
  const opening = first.context().waitForEvent("page")
  await first.getByRole("link", { name: "Second tab" }).click()
  const second = await opening
  await remoteOf(second, "weather-service-2").getByText("this tab").waitFor()
  // Each lists both, and the hub told the first by itself.
  await remoteOf(first, "weather-service-2").getByText("another tab").waitFor()
  const row = await unfold(second, "weather-service", "set_weather")
  await row.getByLabel("City", { exact: true }).selectOption({ label: "Oslo" })
  await row.getByLabel("Sky").selectOption({ label: "storm" })
  await row.getByLabel("Celsius").fill("21")
  await row.getByRole("button", { name: "Call function" }).click()
  await eventually(() => row.getByLabel("Answer").innerText()).toBe("The weather of Oslo is changed.")
  // The answer comes after the commit: no waiting.
  expect(await first.getByLabel("Temperature in Oslo, degrees Celsius").inputValue()).toBe("21")
  expect(await second.getByLabel("Temperature in Oslo, degrees Celsius").inputValue()).toBe("-3")
  const served = first.getByRole("list", { name: "Calls, newest first" }).getByRole("listitem")
  await eventually(() => served.first().getAttribute("data-phase")).toBe("answered")
  await picture(second, "hub")
})

test("A remote's functions change while they are listed, and the form with them", async () => {
  const first = await openHub()
  const second = await openHub("other")
  const addCity = await unfold(second, "weather-service", "add_city")
  await addCity.getByLabel("City", { exact: true }).fill("Bergen")
  await addCity.getByRole("button", { name: "Call function" }).click()
  await eventually(() => addCity.getByLabel("Answer").innerText()).toBe("Bergen is added.")
  const forecast = await unfold(second, "weather-service", "get_forecast")
  await forecast.getByLabel("City", { exact: true }).selectOption({ label: "Bergen" })
  await forecast.getByRole("button", { name: "Call function" }).click()
  await eventually(async () => JSON.parse(await forecast.getByLabel("Answer").innerText()) as unknown).toEqual({
    city: "Bergen",
    forecast: "cloudy",
    celsius: 15,
  })
  await first.close()
  await eventually(() => remotesOf(second).getByRole("listitem").count()).toBe(2)
})

test("What a function refuses is shown as the error that it is", async () => {
  const page = await openHub()
  const row = await unfold(page, "weather-service", "get_forecast")
  await row.getByRole("button", { name: "JSON" }).click()
  await row.getByLabel("Arguments as JSON").fill('{"city": "Atlantis"}')
  await row.getByRole("button", { name: "Call function" }).click()
  await eventually(() => row.getByRole("group", { name: "Reply of get_forecast" }).innerText()).toMatch(/failed[\s\S]*city/)
})

test("A local remote is listed and called beside the hub's, and nobody else knows of it", async () => {
  const page = await openHub()
  const other = await openHub("other")
  const row = await unfold(page, "notes", "write_note")
  await row.getByLabel("Text").fill("Only here")
  await row.getByRole("button", { name: "Call function" }).click()
  await eventually(() => row.getByLabel("Answer").innerText()).toBe("Noted.")
  expect(await page.getByRole("textbox", { name: /^Served within this page/ }).inputValue()).toContain("Only here")
  expect(await other.getByRole("textbox", { name: /^Served within this page/ }).inputValue()).not.toContain("Only here")
  await remoteOf(page, "notes").getByText("this page only").waitFor()
  expect(await page.getByRole("group", { name: "Remotes for this run" }).getByText("notes").count()).toBe(0)
})

test("An agent is prompted with remotes and prefixes, and calls what the page serves", async () => {
  const page = await openHub()
  const second = await openHub("second")
  await page.getByLabel("second", { exact: true }).check()
  await page.getByLabel("Prefix for the functions of second").fill("two_")
  await page.getByLabel("weather-service", { exact: true }).check()
  const report = await prompt(page, 'current_time\ntwo_set_weather {"city": "Rome", "sky": "storm"}\nget_forecast {"city": "Rome"}\nfly {"to": "Rome"}')
  await report.waitFor()
  expect(await report.getByRole("list", { name: "Tools of the run" }).getByRole("listitem").allInnerTexts()).toEqual([
    "current_time",
    ...["get_forecast", "set_weather", "add_city"],
    ...["two_get_forecast", "two_set_weather", "two_add_city"],
  ])
  const answers = report.getByRole("article")
  expect(await answers.nth(0).innerText()).toMatch(/current_time[\s\S]*\d{4}-\d\d-\d\dT/)
  expect(await answers.nth(1).innerText()).toContain("The weather of Rome is changed.")
  expect(await second.getByLabel("Sky over Rome").inputValue()).toBe("storm")
  // Without a prefix it is this tab's, where the sun still shines.
  expect(await answers.nth(2).innerText()).toContain('"sunny"')
  expect(await answers.nth(3).innerText()).toMatch(/error[\s\S]*There is no tool "fly" in this run/)
  await page.getByText("As code").click()
  expect(await page.getByLabel("The prompt as code").innerText()).toMatch(/"remotes": \[\s*"weather-service",\s*\{\s*"name": "second",\s*"prefix": "two_"\s*\}\s*\]/)
  await picture(page, "hub-agent")
})

test("An agent that is prompted without remotes has its own tools, and says what it can do", async () => {
  const page = await openHub()
  const report = await prompt(page, "What can you do?")
  await eventually(() => report.innerText()).toContain("I can call current_time.")
})

test("A name that another tab serves is not taken over, and the page offers another", async () => {
  const first = await openHub()
  const second = await playground.goto("#/hub")
  await second.getByRole("alert").getByText("Another tab serves").waitFor()
  await second.getByRole("button", { name: "Serve as weather-service-2" }).click()
  await remoteOf(second, "weather-service-2").getByText("this tab").waitFor()
  await remoteOf(first, "weather-service").getByText("this tab").waitFor()
})

test("A remote that is not served any more is gone for all, and comes back", async () => {
  const first = await openHub()
  const second = await openHub("other")
  await remoteOf(second, "weather-service").waitFor()
  await weatherOf(first).getByRole("button", { name: "Stop" }).click()
  await eventually(() => remoteOf(second, "weather-service").count()).toBe(0)
  await weatherOf(first).getByRole("button", { name: "Serve" }).click()
  await remoteOf(second, "weather-service").waitFor()
  await weatherOf(first).getByText("serving").waitFor()
})

test("A page that is left offers nothing, and is as it was when a person comes back", async () => {
  const page = await openHub()
  const second = await openHub("other")
  await page.getByLabel("Temperature in Rome, degrees Celsius").fill("31")
  await page.getByRole("link", { name: "Session" }).click()
  const { agent } = await playground.waitUntilLive(page)
  await eventually(() => remoteOf(second, "weather-service").count()).toBe(0)
  expect(await agent.names()).toContain("client__web__add_todo")
  await page.getByRole("link", { name: "Hub" }).click()
  await remoteOf(second, "weather-service").waitFor()
  await weatherOf(page).getByText("serving").waitFor()
  expect(await page.getByLabel("Temperature in Rome, degrees Celsius").inputValue()).toBe("31")
  await eventually(() => agent.names()).toEqual([])
})

test("A reload serves again under the same name", async () => {
  const page = await openHub()
  await page.reload()
  await weatherOf(page).getByText("serving").waitFor()
  await remoteOf(page, "weather-service").getByText("this tab").waitFor()
})

test("The hub lets in its own page's user alone", async () => {
  const token = (origin?: string): Promise<Response> =>
    fetch(`${playground.url}/playground/hub/tokens`, { method: "POST", headers: origin === undefined ? {} : { origin } })
  expect((await token("https://elsewhere.example")).status).toBe(403)
  expect((await token()).status).toBe(201)
  const ask = (origin: string, given: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${playground.url.replace("http", "ws")}/ws`, { origin })
      socket.on("open", () => socket.send(JSON.stringify({ action: "authenticate", nonce: "1", body: { token: given } })))
      socket.on("message", (data: Buffer) => {
        resolve(data.toString())
        socket.close()
      })
      socket.on("error", (error) => resolve(error.message))
    })
  expect(await ask("https://elsewhere.example", "guess")).toContain("403")
  expect(JSON.parse(await ask(playground.url, "guess"))).toEqual({ error: "authentication failed", nonce: "1" })
})
