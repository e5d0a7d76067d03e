import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser } from "playwright"
import { build, preview } from "vite"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createAgent } from "./support/createAgent.ts"
import { eventually } from "./support/eventually.ts"
import { launchChromium } from "./support/launchChromium.ts"

const root = fileURLToPath(new URL("../../playground", import.meta.url))
const configFile = join(root, "vite.config.ts")

let outDir: string
/** What the page's own sources became, and the library's. */
let code: string
let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
  outDir = await mkdtemp(join(tmpdir(), "playground-"))
  const built = await build({ root, configFile, logLevel: "error", build: { outDir, emptyOutDir: true } })
  const chunks = [built].flat().flatMap((result) => ("output" in result ? result.output : []))
  const modules = chunks.flatMap((chunk) => (chunk.type === "chunk" ? Object.entries(chunk.modules) : []))
  code = modules.map(([id, module]) => (id.includes("node_modules") ? "" : (module.code ?? ""))).join("\n")
})

afterAll(async () => {
  await browser.close()
  await rm(outDir, { recursive: true })
})

async function servePreview(port = 0) {
  const server = await preview({
    root,
    configFile,
    logLevel: "error",
    build: { outDir },
    preview: { port, strictPort: port !== 0, host: "127.0.0.1" },
  })
  const address = server.httpServer.address()
  if (typeof address !== "object" || address === null) throw new Error("The preview listens nowhere.")
  return { port: address.port, url: `http://127.0.0.1:${address.port}`, close: () => server.close() }
}

// After a restart the hub has another token: the page fetches it, and its remote is there again.
test("A hub that restarts with another token lets its page in again, and serves its remote", async () => {
  const first = await servePreview()
  const page = await browser.newPage()
  await page.goto(`${first.url}/#/hub`)
  const remote = page.getByRole("list", { name: "Remotes" }).locator('[data-remote="weather-service"]')
  await remote.getByText("this tab").waitFor()
  await page.getByLabel("Temperature in Rome, degrees Celsius").fill("31")
  await first.close()
  await page.getByTestId("hub-connection").getByText("reconnecting").waitFor()
  const second = await servePreview(first.port)
  await page.getByTestId("hub-connection").getByText("open").waitFor()
  await remote.getByText("this tab").waitFor()
  await remote.locator("summary", { hasText: "get_forecast" }).click()
  await remote.getByLabel("City", { exact: true }).first().selectOption({ label: "Rome" })
  await remote.getByRole("button", { name: "Call function" }).first().click()
  await eventually(() => remote.getByLabel("Answer").innerText()).toContain("31")
  await page.close()
  await second.close()
})

async function open(url: string) {
  const page = await browser.newPage()
  await page.goto(url)
  await page.getByTestId("tool-client").getByText("serving").waitFor()
  return { page, sessionId: await page.getByTestId("session-id").innerText() }
}

test("The built page works too, and holds no key", async () => {
  expect(code).toContain("add_todo")
  expect(code.match(/Bearer dev|["'`]dev["'`]/g)).toBe(null)
  const { url, close } = await servePreview()
  const { page, sessionId } = await open(url)
  const agent = createAgent(url, sessionId)
  expect(await agent.call("client__web__search_products", { query: "mug" })).toMatchObject({ is_error: false })
  expect(await page.getByRole("list", { name: "Products" }).getByRole("listitem").count()).toBe(1)
  await page.close()
  await close()
})

test("A page that is open while its server restarts serves again by itself, in the same session", async () => {
  const first = await servePreview()
  const { page, sessionId } = await open(first.url)
  await page.getByRole("textbox", { name: "New to-do" }).fill("typed before")
  await first.close()
  // The restart takes its time, by the page's clock.
  await page.clock.setSystemTime(Date.now() + 5_000)
  await page.getByTestId("connection").getByText("reconnecting").waitFor()

  // It has forgotten the session, and its secret is another: the page asks for a new token and registers again.
  const second = await servePreview(first.port)
  const agent = createAgent(second.url, sessionId)
  await eventually(async () => (await agent.names().catch(() => [])).length).toBeGreaterThan(8)
  expect((await agent.names()).every((name) => name.startsWith("client__web__"))).toBe(true)
  expect(await agent.call("client__web__add_todo", { title: "After the restart" })).toMatchObject({ is_error: false })
  expect(await page.getByText("After the restart").first().isVisible()).toBe(true)
  expect(await page.getByRole("textbox", { name: "New to-do" }).inputValue()).toBe("typed before")
  await page.close()
  await second.close()
})
