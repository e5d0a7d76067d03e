// Finds the Chromium that the browser tests drive, and installs one where that is possible without asking.
import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]

const PLACES = [
  "/usr/bin",
  "/usr/local/bin",
  "/snap/bin",
  ...(process.env["PATH"] ?? "").split(delimiter).filter((place) => place !== ""),
]

const APPLICATIONS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
]

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The browser's path: `CHROMIUM_PATH` where it is set (a wrong one is left to fail at its first use, by its name),
 * else the first that is found, else undefined.
 *
 * @returns {string | undefined}
 */
export function findChromium() {
  const chosen = process.env["CHROMIUM_PATH"]
  if (chosen !== undefined && chosen !== "") return chosen
  const places = PLACES.flatMap((place) => NAMES.map((name) => join(place, name)))
  return [...places, ...APPLICATIONS].find(isExecutable)
}

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

/** @param {string[]} args */
function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  return spawnSync("apt-get", args, { stdio: ["ignore", "inherit", "inherit"], env }).status === 0
}

/**
 * Finds Chromium, or installs Debian's where this process is root and apt-get is there.
 *
 * @returns {string} the browser's path
 * @throws {Error} that says how to get one
 */
export function ensureChromium() {
  const found = findChromium()
  if (found !== undefined) return found
  if (process.getuid?.() === 0) {
    console.log("No Chromium found: installing Debian's package (about 290 MB).")
    const install = ["install", "-y", "--no-install-recommends", "chromium"]
    if (aptGet(["update"]) && aptGet(install)) {
      const installed = findChromium()
      if (installed !== undefined) return installed
    }
  }
  throw new Error(
    "The browser tests need Chromium or Chrome, and none was found.\n" +
      "  Debian, Ubuntu:  sudo apt-get install chromium\n" +
      "  elsewhere:       install Google Chrome\n" +
      "  anywhere else:   CHROMIUM_PATH=/path/to/the/browser npm test",
  )
}
