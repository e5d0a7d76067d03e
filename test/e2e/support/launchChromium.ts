import { type Browser, chromium } from "playwright"
import { CHROMIUM_ARGS, ensureChromium } from "../../../scripts/lib/chromium.mjs"

/** The machine's Chromium, with more arguments where a test needs them. */
export const launchChromium = (...args: readonly string[]): Promise<Browser> =>
  chromium.launch({ executablePath: ensureChromium(), args: [...CHROMIUM_ARGS, ...args] })
