import { type Browser, chromium } from "playwright"
import { CHROMIUM_ARGS, ensureChromium } from "../../../scripts/lib/chromium.mjs"

/** The machine's Chromium. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: ensureChromium(), args: CHROMIUM_ARGS })
