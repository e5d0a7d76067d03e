// Programs of this machine that the tests need: looked for in the usual places, and installed from Debian where that is possible.
import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

const PLACES = [
  "/usr/bin",
  "/usr/local/bin",
  "/snap/bin",
  "/opt/homebrew/bin",
  ...(process.env["PATH"] ?? "").split(delimiter).filter((place) => place !== ""),
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
 * The path that an environment variable names (a wrong one is left to fail at its first use, by its name), else the first program that is found, else undefined.
 *
 * @param {string} variable
 * @param {readonly string[]} names
 * @param {readonly string[]} [files] whole paths, looked at after the usual places
 * @returns {string | undefined}
 */
export function findProgram(variable, names, files = []) {
  const chosen = process.env[variable]
  if (chosen !== undefined && chosen !== "") return chosen
  return [...PLACES.flatMap((place) => names.map((name) => join(place, name))), ...files].find(isExecutable)
}

/** @param {readonly string[]} args */
function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  return spawnSync("apt-get", args, { stdio: ["ignore", "inherit", "inherit"], env }).status === 0
}

/**
 * Installs Debian's package without those that it only recommends, where this process is root and apt-get is there.
 *
 * @param {string} name
 * @param {string} announcement
 */
export function installPackage(name, announcement) {
  if (process.getuid?.() !== 0) return
  console.log(announcement)
  if (aptGet(["update"])) aptGet(["install", "-y", "--no-install-recommends", name])
}
