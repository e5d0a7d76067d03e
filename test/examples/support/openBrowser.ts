import { type Browser, chromium } from "playwright"
import { CHROMIUM_ARGS, findChromium } from "../../../scripts/lib/chromium.mjs"

export function openBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  return chromium.launch({ args: CHROMIUM_ARGS, ...(executablePath !== undefined && { executablePath }) })
}
