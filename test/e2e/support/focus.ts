import type { Page } from "playwright"
import { expect } from "vitest"

/** What has the focus, by the name that a screen reader would say. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    // The live panel has a tree of its own.
    const element = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement
    const labels = element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement ? [...(element.labels ?? [])] : []
    const labelledBy = document.getElementById(element?.getAttribute("aria-labelledby") ?? "")
    return element?.getAttribute("aria-label") ?? labelledBy?.textContent ?? labels[0]?.textContent ?? element?.textContent ?? ""
  })

/**
 * Presses Tab until the focus is where it should be; each stop on the way must be seen.
 *
 * @param isForward - Whether it must be found before the page begins anew.
 */
export async function tabTo(page: Page, name: string, isForward = false): Promise<void> {
  for (let presses = 0; presses < 100; presses++) {
    await page.keyboard.press("Tab")
    const isSeen = await page.evaluate(() => {
      const element = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement
      return element === null || element === document.body || getComputedStyle(element).outlineStyle !== "none"
    })
    const now = await focused(page)
    expect(isSeen, `the focus is seen on "${now}"`).toBe(true)
    if (now.startsWith(name)) return
    if (isForward && now.startsWith("Skip to")) throw new Error(`"${name}" does not come after what had the focus.`)
  }
  throw new Error(`Tab does not come to "${name}".`)
}
