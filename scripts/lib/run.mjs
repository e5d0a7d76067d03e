import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
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
 * Runs a tool of the dev dependencies, by the file that its package names in `bin`.
 *
 * @param {string} packageName
 * @param {readonly string[]} args
 * @param {{ bin?: string, env?: NodeJS.ProcessEnv }} [options] `bin` where it is not the package's name
 */
export function runTool(packageName, args, { bin = packageName, env } = {}) {
  const require = createRequire(join(ROOT, "package.json"))
  const folder = join(ROOT, "node_modules", packageName)
  /** @type {{ bin: string | Record<string, string> }} */
  const manifest = require(join(folder, "package.json"))
  const file = typeof manifest.bin === "string" ? manifest.bin : manifest.bin[bin]
  if (file === undefined) throw new Error(`${packageName} has no program ${bin}`)
  return run(process.execPath, [join(folder, file), ...args], env)
}
