import { fileURLToPath } from "node:url"
import type { Browser, Page } from "playwright"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { ROOT } from "../../scripts/lib/entries.mjs"
import { eventually } from "./support/eventually.ts"
import { type FakeProvider, type ProviderStep, serveFakeProvider } from "./support/fakeProvider.ts"
import { launchChromium } from "./support/launchChromium.ts"
import { type ServedVite, serveVite } from "./support/serveVite.ts"

const root = fileURLToPath(new URL("../../playground", import.meta.url))

let browser: Browser
let provider: FakeProvider
let served: ServedVite

beforeAll(async () => {
  browser = await launchChromium()
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(browser.contexts().map((context) => context.close()))
  await served.close()
  await provider.close()
})

afterAll(() => browser.close())

/** The playground with a provider's key in its environment. */
async function openWithKey(key: string, ...steps: readonly ProviderStep[]): Promise<Page> {
  provider = await serveFakeProvider("good-key", ...steps)
  vi.stubEnv("OPENAI_API_KEY", key)
  vi.stubEnv("OPENAI_BASE_URL", provider.url)
  served = await serveVite({ root, configFile: `${root}/vite.config.ts`, cacheDir: `${ROOT}node_modules/.vite/e2e-own` })
  const page = await browser.newPage()
  await page.goto(served.url)
  await page.getByTestId("tool-client").getByText("serving").waitFor()
  return page
}

async function say(page: Page, text: string) {
  await page.getByLabel("Message to the agent").fill(text)
  await page.getByRole("button", { name: "Send", exact: true }).click()
  return page.getByRole("article", { name: text })
}

test("A provider's model works with the page's tools where its key is in the environment", async () => {
  const page = await openWithKey("good-key", { tool: "client__web__add_todo", arguments: { title: "Sing" } }, "It is on your list now.")
  await page.getByRole("region", { name: "Chat" }).getByText("gpt-5-mini").waitFor()
  const turn = await say(page, "Remind me to sing")
  await eventually(() => turn.innerText()).toContain("It is on your list now.")
  expect(await page.getByRole("list", { name: "To-dos" }).getByText("Sing").count()).toBe(1)
  expect(await turn.getByRole("listitem").first().getAttribute("data-phase")).toBe("answered")
  const [first, second] = provider.requests
  expect(first?.model).toBe("gpt-5-mini")
  expect(first?.tools.find(({ name }) => name === "client__web__add_todo")?.parameters).toMatchObject({ properties: { title: { type: "string" } } })
  expect(second?.input.at(-1)).toMatchObject({ type: "function_call_output", output: expect.stringContaining('"title":"Sing"') })
})

test("A key that the provider does not take is told, and the agent is idle again", async () => {
  const page = await openWithKey("bad-key")
  const turn = await say(page, "Hello")
  await eventually(() => turn.innerText()).toContain("Incorrect API key provided.")
  expect(await turn.getAttribute("data-status")).toBe("failed")
  await page.getByTestId("agent-state").getByText("idle").waitFor()
  await page.getByRole("button", { name: "Send", exact: true }).waitFor()
})
