import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright"
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest"
import { ROOT } from "../../../scripts/lib/entries.mjs"
import { type Agent, createAgent } from "./createAgent.ts"
import { launchChromium } from "./launchChromium.ts"

export interface OpenedPlayground {
  readonly page: Page
  readonly context: BrowserContext
  readonly sessionId: string
  readonly agent: Agent
}

export interface TestPlayground {
  readonly url: string
  /** Opens the playground with a new session and waits until its tools are live; with options, in a browser context of its own. */
  open(options?: BrowserContextOptions, address?: string): Promise<OpenedPlayground>
  /** Opens any page of the playground, such as `#/hub`, and waits for nothing; with options, in a browser context of its own. */
  goto(address: string, options?: BrowserContextOptions): Promise<Page>
  /** Waits until the tools of a page that was loaded by other means are live. */
  waitUntilLive(page: Page): Promise<OpenedPlayground>
  /** Whatever a page says on its console as an error, beside the errors that it throws: none is expected. */
  expectProblem(text: string): void
}

/** Pictures of what was tested, for people; not kept by git. */
export const picture = (page: Page, name: string): Promise<unknown> =>
  page.screenshot({ path: `${ROOT}test-results/e2e/${name}.png`, fullPage: true, animations: "disabled" })

/** What each page looks like at its best; not kept by git. */
export const portrait = (page: Page, name: string): Promise<unknown> =>
  page.screenshot({ path: `${ROOT}.cache/screenshots/${name}.png`, fullPage: true, animations: "disabled" })

/**
 * The playground, and a browser for the tests of one file. No page may complain on its console.
 *
 * @param browserArgs - Turns on what the browser has switched off, in one of the file's own.
 */
export function withPlayground(...browserArgs: readonly string[]): TestPlayground {
  const { url, browser: endpoint } = inject("playground")
  let browser: Browser
  let shared: BrowserContext
  const problems: string[] = []
  const expected: string[] = []

  beforeAll(async () => {
    browser = browserArgs.length === 0 ? await chromium.connect(endpoint) : await launchChromium(...browserArgs)
    // Its cache is warm after the first page.
    shared = await createContext()
  })

  afterEach(async () => {
    await Promise.all(shared.pages().map((page) => page.close()))
    const own = browser.contexts().filter((context) => context !== shared)
    await Promise.all(own.map((context) => context.close()))
    const unexpected = problems.splice(0).filter((problem) => !expected.some((text) => problem.includes(text)))
    expected.splice(0)
    expect(unexpected, "what pages said on their consoles").toEqual([])
  })

  // Of the browser that is shared, only this file's contexts.
  afterAll(() => browser.close())

  async function createContext(options?: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...options })
    context.on("weberror", (error) => problems.push(String(error.error())))
    context.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text())
    })
    return context
  }

  async function waitUntilLive(page: Page): Promise<OpenedPlayground> {
    await page.getByTestId("tool-client").getByText("serving").waitFor()
    const sessionId = await page.getByTestId("session-id").innerText()
    return { page, context: page.context(), sessionId, agent: createAgent(url, sessionId) }
  }

  async function goto(address: string, options?: BrowserContextOptions): Promise<Page> {
    const context = options ? await createContext(options) : shared
    const page = await context.newPage()
    await page.goto(`${url}/${address}`)
    return page
  }

  return {
    url,
    open: async (options, address = "") => waitUntilLive(await goto(address, options)),
    goto,
    waitUntilLive,
    expectProblem: (text) => expected.push(text),
  }
}
