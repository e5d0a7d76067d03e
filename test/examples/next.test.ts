import { execFile } from "node:child_process"
import { cpSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Browser, Page } from "playwright"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ROOT } from "../../scripts/lib/entries.mjs"
import { installPacked } from "./support/createConsumer.ts"
import { openBrowser } from "./support/openBrowser.ts"
import { startProgram } from "./support/startProgram.ts"

const EXAMPLE = join(ROOT, "examples/next")
/** As deep in the repository as the example, since its `next.config.mjs` names the root from there. */
const COPY = join(ROOT, ".cache/next")
const NEXT = join(EXAMPLE, "node_modules/next/dist/bin/next")
/** It takes 20 s on two idle cores. */
const BUILD_LIMIT_MS = 240_000
const API_KEY = "key-of-the-agent"
const ENV = { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", AGENT_API_KEY: API_KEY } as const

/** The example with the packed library instead of a link, and with one page more. */
function copyExample(): void {
  rmSync(COPY, { recursive: true, force: true })
  cpSync(EXAMPLE, COPY, { recursive: true, filter: (path) => !/[\\/](node_modules|\.next)$/.test(path) })
  cpSync(join(ROOT, "test/examples/programs/serverComponent.tsx"), join(COPY, "app/entry/page.tsx"))
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(EXAMPLE, "package.json"), "utf8")) as Record<string, object>
  installPacked(COPY, Object.keys({ ...dependencies, ...devDependencies }), EXAMPLE)
}

describe("examples/next, built", () => {
  let built: string
  let browser: Browser

  beforeAll(async () => {
    copyExample()
    const { stdout } = await promisify(execFile)(process.execPath, [NEXT, "build"], { cwd: COPY, env: { ...process.env, ...ENV } })
    built = stdout
    browser = await openBrowser()
  }, BUILD_LIMIT_MS)
  afterAll(async () => {
    await browser?.close()
    rmSync(COPY, { recursive: true, force: true })
  })

  /** Starts it, and opens a page of it by the server's address, which is not the `localhost` that Next takes itself for. */
  async function open(path: string): Promise<{ url: string; page: Page; errors: string[] }> {
    const next = startProgram(NEXT, { args: ["start", "--port", "0"], cwd: COPY, env: ENV })
    const [, port] = await next.printed(/Local:\s+http:\/\/localhost:(\d+)/)
    const url = `http://127.0.0.1:${port}`
    const page = await browser.newPage()
    const errors: string[] = []
    page.on("pageerror", (error) => errors.push(error.message))
    await page.goto(url + path)
    return { url, page, errors }
  }

  it("renders the page for each request", () => {
    expect(built).toMatch(/ƒ \/\n/)
  })

  it("lets a server component render the library's own, whose entry says `use client`", async () => {
    const { page, errors } = await open("/entry")
    expect(await page.locator("p").innerText()).toBe("Rendered by a server component")
    expect(errors).toEqual([])
  })

  it("answers an agent's call, which changes the page", async () => {
    const { url, page, errors } = await open("/")
    const id = await page.getByTestId("session-id").innerText()
    const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" }
    const tools = async (): Promise<unknown> => (await fetch(`${url}/v1/sessions/${id}/tools`, { headers })).json()
    await expect.poll(tools, { timeout: 25_000 }).toMatchObject([{ name: "client__list__add_item" }])

    const body = JSON.stringify({ tool: "client__list__add_item", arguments: { name: "Milk" } })
    const response = await fetch(`${url}/v1/sessions/${id}/tool-calls`, { method: "POST", headers, body })
    expect(await response.json()).toMatchObject({ text: '"Milk" is on the list now.', is_error: false })
    expect(await page.locator("li").allInnerTexts()).toEqual(["Bread", "Milk"])
    expect(errors).toEqual([])
  })
})
