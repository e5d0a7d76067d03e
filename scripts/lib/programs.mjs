// Programs of this machine that the tests need: looked for in the usual places, and installed from Debian where that is possible.
import { spawnSync } from "node:child_process"
import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
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

const SOURCES = "/etc/apt/sources.list.d"

/**
 * Installs a package from the backports of the Debian that this is, which are asked for beside its own sources, at the same place, for this
 * once. A Debian whose own sources have the package installs that.
 *
 * @param {string} name
 * @param {string} announcement
 */
export function installBackport(name, announcement) {
  if (process.getuid?.() !== 0 || !existsSync(SOURCES) || !existsSync("/etc/os-release")) return
  const release = readFileSync("/etc/os-release", "utf8")
  const codename = /^VERSION_CODENAME=(\w+)$/m.exec(release)?.[1]
  if (codename === undefined || !/^ID=debian$/m.test(release)) return
  console.log(announcement)
  const folder = mkdtempSync(join(tmpdir(), "backports-"))
  try {
    for (const file of readdirSync(SOURCES).filter((file) => /\.(list|sources)$/.test(file))) copyFileSync(join(SOURCES, file), join(folder, file))
    // The paragraph of the distribution itself, with another suite.
    const paragraphs = readdirSync(folder).filter((file) => file.endsWith(".sources")).flatMap((file) => readFileSync(join(folder, file), "utf8").split(/\n\s*\n/))
    const own = paragraphs.find((paragraph) => new RegExp(`^Suites:.*\\b${codename}( |$)`, "m").test(paragraph))
    if (own) writeFileSync(join(folder, "backports.sources"), own.replace(/^Suites:.*$/m, `Suites: ${codename}-backports`))
    const sources = ["-o", `Dir::Etc::SourceParts=${folder}`]
    if (aptGet([...sources, "-o", "APT::Get::List-Cleanup=0", "update"])) {
      aptGet([...sources, "install", "-y", "--no-install-recommends", ...(own ? ["-t", `${codename}-backports`] : []), name])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
