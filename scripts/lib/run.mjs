import { spawn, spawnSync } from "node:child_process"
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
 * The file of a dev dependency's program, by what its package names in `bin`.
 *
 * @param {string} packageName
 * @param {string} bin
 */
function fileOf(packageName, bin) {
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
export function runTool(packageName, args, { bin = packageName, env } = {}) {
  return run(process.execPath, [fileOf(packageName, bin), ...args], env)
}

/**
 * Runs a tool beside others: what it says is shown as it comes, or kept and shown when it ends.
 *
 * @param {string} packageName
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, isKept?: boolean }} [options]
 * @returns {Promise<boolean>} whether it succeeded
 */
export function startTool(packageName, args, { env, isKept = false } = {}) {
  const child = spawn(process.execPath, [fileOf(packageName, packageName), ...args], {
    cwd: ROOT,
    stdio: ["ignore", isKept ? "pipe" : "inherit", isKept ? "pipe" : "inherit"],
    env: { ...process.env, ...env },
  })
  /** @type {Buffer[]} */
  const kept = []
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (/** @type {Buffer} */ data) => kept.push(data))
  return new Promise((resolve) => {
    child.on("error", (error) => console.error(error.message))
    child.on("close", (code) => {
      if (kept.length > 0) process.stdout.write(Buffer.concat(kept))
      resolve(code === 0)
    })
  })
}
