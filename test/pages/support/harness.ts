import { afterAll, afterEach, beforeAll, expect } from "vitest"
import { eventually } from "../../e2e/support/eventually.ts"
import { type Chromium, launchChromium } from "./chromium.ts"
import { createSite, type Site, type SiteOptions } from "./site.ts"
import type { Tab } from "./tab.ts"

/** One browser for the tests of a file, without tabs before each. No page may complain on its console. */
export function withChromium(flags?: readonly string[]): Chromium {
  let chromium: Chromium
  beforeAll(async () => void (chromium = await launchChromium(flags)))
  afterEach(async () => expect(await chromium.clear(), "what pages said on their consoles").toEqual([]))
  afterAll(() => chromium.close())
  return {
    open: (url) => chromium.open(url),
    opened: (open) => chromium.opened(open),
    hideAll: () => chromium.hideAll(),
    clear: () => chromium.clear(),
    close: () => chromium.close(),
  }
}

/** One site for the tests of a block, and what is often asked of its pages. */
export function withSite(options?: SiteOptions): () => Site {
  let site: Site
  beforeAll(async () => void (site = await createSite(options)))
  afterAll(() => site.close())
  return () => site
}

/** What the page says of its tool client: `serving as web`. */
export const clientOf = (tab: Tab): Promise<string | null | undefined> =>
  tab.evaluate(() => document.querySelector("#client")?.textContent)

export const serves = (tab: Tab, name = "web"): Promise<void> => eventually(() => clientOf(tab)).toBe(`serving as ${name}`)

export const lifecycleOf = (tab: Tab): Promise<readonly string[]> => tab.evaluate(() => testPage.lifecycle)

export const problemsOf = (tab: Tab): Promise<readonly string[]> => tab.evaluate(() => testPage.problems)

/** How long something took, in milliseconds. */
export async function timed<Value>(work: Promise<Value>): Promise<readonly [Value, ms: number]> {
  const begin = performance.now()
  return [await work, performance.now() - begin]
}
