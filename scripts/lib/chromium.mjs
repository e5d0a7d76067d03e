// Finds the Chromium that the browser tests drive, and installs one where that is possible without asking.
import { findProgram, installPackage } from "./programs.mjs"

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]

const APPLICATIONS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
]

/** The browser's path: `CHROMIUM_PATH` where it is set, else the first that is found, else undefined. */
export const findChromium = () => findProgram("CHROMIUM_PATH", NAMES, APPLICATIONS)

/** What a run without its own user, network or graphics needs; tests only ever open pages of this machine. */
export const CHROMIUM_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

/**
 * Finds Chromium, or installs Debian's where this process is root and apt-get is there.
 *
 * @returns {string} the browser's path
 * @throws {Error} that says how to get one
 */
export function ensureChromium() {
  const found = findChromium()
  if (found !== undefined) return found
  installPackage("chromium", "No Chromium found: installing Debian's package (about 290 MB).")
  const installed = findChromium()
  if (installed !== undefined) return installed
  throw new Error(
    "The browser tests need Chromium or Chrome, and none was found.\n" +
      "  Debian, Ubuntu:  sudo apt-get install chromium\n" +
      "  elsewhere:       install Google Chrome\n" +
      "  anywhere else:   CHROMIUM_PATH=/path/to/the/browser npm test",
  )
}
