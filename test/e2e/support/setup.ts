// What the end-to-end tests share: the playground's dev server, which has to transform a source only once, and a browser, in which each
// test file has contexts of its own.
import { fileURLToPath } from "node:url"
import { chromium } from "playwright"
import type { TestProject } from "vitest/node"
import { CHROMIUM_ARGS, ensureChromium } from "../../../scripts/lib/chromium.mjs"
import { ROOT } from "../../../scripts/lib/entries.mjs"
import { serveVite } from "./serveVite.ts"

declare module "vitest" {
  export interface ProvidedContext {
    readonly playground: {
      readonly url: string
      /** Where Playwright connects to. */
      readonly browser: string
    }
  }
}

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  // No test talks to a provider, whoever runs it.
  for (const key of ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"]) delete process.env[key]
  const root = fileURLToPath(new URL("../../../playground", import.meta.url))
  const [served, browser] = await Promise.all([
    serveVite({ root, configFile: `${root}/vite.config.ts`, cacheDir: `${ROOT}node_modules/.vite/e2e-playground` }),
    chromium.launchServer({ executablePath: ensureChromium(), args: [...CHROMIUM_ARGS] }),
  ])
  provide("playground", { url: served.url, browser: browser.wsEndpoint() })
  return async () => {
    await browser.close()
    await served.close()
  }
}
