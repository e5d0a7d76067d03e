// `npm run pictures`: the pictures of README and the guides, of the playground as it is: an agent at work, seen in the live panel.
import { mkdir } from "node:fs/promises"
import { chromium } from "playwright"
import { createServer } from "vite"
import { CHROMIUM_ARGS, ensureChromium } from "./lib/chromium.mjs"
import { ROOT } from "./lib/entries.mjs"

const IMAGES = `${ROOT}docs/guides/images/`

/** The server's key of an agent in the playground. */
const AGENT = { authorization: "Bearer dev", "content-type": "application/json" }

/** Pixels of the page; wide enough for its three columns. */
const VIEWPORT = { width: 1280, height: 860 }

const PANEL_HEIGHT = 360

/** How long the pictures' calls lie apart, in milliseconds. */
const PAUSE_MS = 160

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * @param {import("playwright").Browser} browser
 * @param {string} url
 */
async function openPlayground(browser, url) {
  const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: "light", reducedMotion: "reduce" })
  await page.addInitScript(
    (settings) => localStorage.setItem("react-tool-client-devtools", JSON.stringify(settings)),
    { isOpen: true, side: "bottom", theme: "light", height: PANEL_HEIGHT },
  )
  await page.goto(url)
  await page.getByTestId("tool-client").getByText("serving").waitFor()
  await page.getByRole("tab", { name: /calls/ }).waitFor()
  const session = `${url}v1/sessions/${await page.getByTestId("session-id").innerText()}`
  /**
   * @param {string} path
   * @param {object} [body]
   */
  const post = async (path, body = {}) => (await fetch(`${session}${path}`, { method: "POST", headers: AGENT, body: JSON.stringify(body) })).json()
  /**
   * @param {string} tool
   * @param {object} [args]
   * @param {number} [wait] in seconds
   */
  const call = (tool, args = {}, wait = 20) => post(`/tool-calls?wait=${wait}`, { tool: `client__web__${tool}`, arguments: args })
  /** @param {string} id */
  const cancel = (id) => post(`/tool-calls/${id}/cancel`)
  return { page, call, cancel }
}

/**
 * One call of most kinds, and the last of them still under way.
 *
 * @param {Awaited<ReturnType<typeof openPlayground>>} playground
 */
async function work({ page, call, cancel }) {
  await page.getByRole("button", { name: "Add milk and bread to my list" }).click()
  await page.getByText("are on your list now").waitFor()
  await call("search_products", { query: "mug" })
  await pause(PAUSE_MS)
  await call("add_todo", { title: "" })
  await call("add_to_cart", { product: "mug", quantity: 2 })
  await pause(PAUSE_MS)
  const { call_id } = await call("compare_prices", { product: "seeds" }, 0)
  await pause(PAUSE_MS * 3)
  await cancel(call_id)
  const asked = call("checkout", { deliver_to: { street: "Lindengasse 4", postcode: "1070", city: "Vienna" } })
  await page.getByRole("button", { name: "Refuse" }).click({ delay: PAUSE_MS })
  await asked
  await call("compare_prices", { product: "mug" }, 0)
  await page.getByRole("progressbar").first().waitFor()
  await pause(PAUSE_MS * 8)
}

const server = await createServer({ root: `${ROOT}playground`, configFile: `${ROOT}playground/vite.config.ts`, logLevel: "error", server: { port: 0, host: "127.0.0.1", hmr: false, watch: null } })
await server.listen()
const [url = ""] = server.resolvedUrls?.local ?? []
const browser = await chromium.launch({ executablePath: ensureChromium(), args: [...CHROMIUM_ARGS] })
try {
  const playground = await openPlayground(browser, url)
  await work(playground)
  const { page } = playground
  await mkdir(IMAGES, { recursive: true })
  await page.screenshot({ path: `${IMAGES}playground.png` })
  await page.getByRole("option", { name: /checkout/ }).click()
  await page.getByRole("region", { name: "Call of checkout" }).waitFor()
  for (let steps = 0; steps < 2; steps++) await page.getByRole("separator", { name: "Size of the panel" }).press("ArrowUp")
  await page.getByRole("complementary", { name: "Tool panel" }).screenshot({ path: `${IMAGES}live-panel.png` })
} finally {
  await browser.close()
  await server.close()
}
