// Finds the Redis (or Valkey) server that the tests of the shared store start, and installs one where that is possible without asking.
import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

const NAMES = ["redis-server", "valkey-server"]

const PLACES = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", ...(process.env["PATH"] ?? "").split(delimiter).filter((place) => place !== "")]

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** What to tell who has none. */
export const HOW_TO_GET_REDIS =
  "The tests of the shared store need redis-server 7 or newer, or valkey-server, and none was found: they are skipped.\n" +
  "  Debian, Ubuntu:  sudo apt-get install redis-server\n" +
  "  macOS:           brew install redis\n" +
  "  anywhere else:   REDIS_SERVER_PATH=/path/to/redis-server npm test"

/**
 * The server's path: `REDIS_SERVER_PATH` where it is set, else the first that is found, else undefined.
 *
 * @returns {string | undefined}
 */
export function findRedisServer() {
  const chosen = process.env["REDIS_SERVER_PATH"]
  if (chosen !== undefined && chosen !== "") return chosen
  return PLACES.flatMap((place) => NAMES.map((name) => join(place, name))).find(isExecutable)
}

/** @param {string[]} args */
function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  return spawnSync("apt-get", args, { stdio: ["ignore", "inherit", "inherit"], env }).status === 0
}

/**
 * Finds a server, or installs Debian's where this process is root and apt-get is there. Says what to do where there is none: those
 * tests are skipped then, and only those.
 */
export function ensureRedisServer() {
  if (findRedisServer() !== undefined) return
  if (process.getuid?.() === 0) {
    console.log("No Redis found: installing Debian's package (about 7 MB).")
    // Without the recommended packages, and without starting the service: the tests start their own.
    if (aptGet(["update"]) && aptGet(["install", "-y", "--no-install-recommends", "redis-server"]) && findRedisServer() !== undefined) return
  }
  console.warn(HOW_TO_GET_REDIS)
}
