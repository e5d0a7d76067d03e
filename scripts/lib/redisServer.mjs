// Finds the Redis (or Valkey) server that the tests of the shared store start, and installs one where that is possible without asking.
import { findProgram, installBackport, installPackage } from "./programs.mjs"

const NAMES = ["redis-server", "valkey-server"]

/** What to tell who has none. */
export const HOW_TO_GET_REDIS =
  "The tests of the shared store need redis-server 7 or newer, or valkey-server, and none was found: they are skipped.\n" +
  "  Debian, Ubuntu:  sudo apt-get install redis-server\n" +
  "  macOS:           brew install redis\n" +
  "  anywhere else:   REDIS_SERVER_PATH=/path/to/redis-server npm test"

/** The server's path: `REDIS_SERVER_PATH` where it is set, else the first that is found, else undefined. */
export const findRedisServer = () => findProgram("REDIS_SERVER_PATH", NAMES)

/**
 * Finds a server, or installs Debian's where this process is root and apt-get is there. Says what to do where there is none: those
 * tests are skipped then, and only those.
 */
export function ensureRedisServer() {
  if (findRedisServer() !== undefined) return
  // Its service is not started: the tests start their own.
  installPackage("redis-server", "No Redis found: installing Debian's package (about 7 MB).")
  if (findRedisServer() === undefined) console.warn(HOW_TO_GET_REDIS)
}

/** What to tell who has no Valkey. */
export const HOW_TO_GET_VALKEY =
  "The tests of the shared store on Valkey need valkey-server, and none was found: they are skipped, those on Redis are run.\n" +
  "  Debian 13, Ubuntu 24.04:  sudo apt-get install valkey-server\n" +
  "  Debian 12:                the same, from bookworm-backports\n" +
  "  macOS:                    brew install valkey\n" +
  "  anywhere else:            VALKEY_SERVER_PATH=/path/to/valkey-server npm test"

/** The path of Valkey's server: `VALKEY_SERVER_PATH` where it is set, else the first that is found, else undefined. */
export const findValkeyServer = () => findProgram("VALKEY_SERVER_PATH", ["valkey-server"])

/** Finds Valkey, or installs Debian's where this process is root and its package sources have one. Without one, the tests say that they are skipped. */
export function ensureValkeyServer() {
  if (findValkeyServer() !== undefined) return
  installBackport("valkey-server", "No Valkey found: installing Debian's package (about 4 MB).")
}
