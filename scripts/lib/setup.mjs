// What a fresh clone needs before anything else can run. Imports nothing that has to be installed.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "./entries.mjs"
import { run } from "./run.mjs"

const OLDEST_NODE = 20

/** @typedef {Record<string, { version?: string, optional?: boolean }>} Packages */

/**
 * @param {string} path
 * @returns {Packages}
 */
function packagesOf(path) {
  return JSON.parse(readFileSync(path, "utf8")).packages
}

/**
 * Whether a folder's node_modules is missing, or holds something else than its lock asks for. npm's own record of
 * what it installed is compared by content, since times say little after a clone or a change of branch.
 *
 * @param {string} folder
 */
export function isStale(folder) {
  const record = join(folder, "node_modules/.package-lock.json")
  if (!existsSync(record)) return true
  const installed = packagesOf(record)
  return Object.entries(packagesOf(join(folder, "package-lock.json"))).some(
    ([path, { version, optional }]) => path !== "" && !optional && installed[path]?.version !== version,
  )
}

/**
 * Runs `npm ci` where it is needed, and ends the process with a reason where that fails.
 *
 * @param {string} [folder] relative to the root
 */
export function ensureDependencies(folder = ".") {
  const major = Number(process.versions.node.split(".")[0])
  if (major < OLDEST_NODE) {
    console.error(`This needs Node ${OLDEST_NODE} or newer; this is ${process.versions.node}.`)
    process.exit(1)
  }
  if (!isStale(join(ROOT, folder))) return
  console.log(folder === "." ? "Installing dependencies (npm ci) ..." : `Installing dependencies of ${folder} ...`)
  const npm = process.env["npm_execpath"]
  const args = ["ci", "--prefix", folder, "--loglevel", "error"]
  const isDone = npm === undefined ? run("npm", args) : run(process.execPath, [npm, ...args])
  if (isDone) return
  console.error("npm ci failed; its reason is above.")
  process.exit(1)
}
