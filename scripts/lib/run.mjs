import { spawn, spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { setPriority } from "node:os"
import { join } from "node:path"
import { ROOT } from "./entries.mjs"

/**
 * Runs a program in the project's root, its output shown as it comes.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env] added to this process's own
 * @returns {boolean} whether it succeeded
 */
export function run(program, args, env) {
  const { status, error } = spawnSync(program, args, { cwd: ROOT, stdio: "inherit", env: { ...process.env, ...env } })
  if (error !== undefined) console.error(error.message)
  return status === 0
}

/**
 * The file of a dev dependency's program, by what its package names in `bin`.
 *
 * @param {string} packageName
 * @param {string} [bin] where it is not the package's name
 */
export function fileOf(packageName, bin = packageName) {
  const require = createRequire(join(ROOT, "package.json"))
  const folder = join(ROOT, "node_modules", packageName)
  /** @type {{ bin: string | Record<string, string> }} */
  const manifest = require(join(folder, "package.json"))
  const file = typeof manifest.bin === "string" ? manifest.bin : manifest.bin[bin]
  if (file === undefined) throw new Error(`${packageName} has no program ${bin}`)
  return join(folder, file)
}

/**
 * Runs a tool of the dev dependencies.
 *
 * @param {string} packageName
 * @param {readonly string[]} args
 * @param {{ bin?: string, env?: NodeJS.ProcessEnv }} [options] `bin` where it is not the package's name
 */
export function runTool(packageName, args, { bin, env } = {}) {
  return run(process.execPath, [fileOf(packageName, bin), ...args], env)
}

/** What a program that gives way to others is less: of the 20 steps below the usual priority, as `nice` counts them. */
const GIVES_WAY = 10

/**
 * Runs a program in the project's root beside others.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {object} options
 * @param {(text: string) => void} options.say takes what it writes, to either stream, as it comes
 * @param {boolean} [options.givesWay] whether it only takes the processor's time that others leave
 * @param {NodeJS.ProcessEnv} [options.env] added to this process's own
 * @returns {Promise<boolean>} whether it succeeded
 */
export function start(program, args, { say, givesWay = false, env }) {
  const child = spawn(program, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } })
  if (givesWay && child.pid !== undefined) {
    try {
      setPriority(child.pid, GIVES_WAY)
    } catch {
      // It has ended already, or this machine has no such thing.
    }
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", say)
  return new Promise((resolve) => {
    child.on("error", (error) => {
      say(`${error.message}\n`)
      resolve(false)
    })
    child.on("close", (code) => resolve(code === 0))
  })
}
