import { createRequire } from "node:module"
import type axe from "axe-core"
import type { Page } from "playwright"

/** Puts `axe` on the page's window. */
const SCRIPT = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

/** What axe finds wrong in the page as it is now, shadow roots too: roles, names, labels, landmarks, contrast. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: SCRIPT })
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document)
    return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target.join(" ")).join(", ")})`)
  })
}
