// Everything that must hold, in one run: each check by its own tool, then all tests. A check that fails does not stop
// the others. The last line counts every test, and every check as one more.
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { entries, ROOT } from "./lib/entries.mjs"
import { run, runTool, startTool } from "./lib/run.mjs"

const CACHE = join(ROOT, ".cache")

/** @type {[name: string, passes: () => boolean][]} */
const checks = [
  ["types", () => runTool("typescript", ["-p", "tsconfig.json"], { bin: "tsc" })],
  ["lint", () => runTool("eslint", [".", "--max-warnings", "0"])],
  ["unused", () => runTool("knip", [])],
  ["build", () => run(process.execPath, ["scripts/build.mjs"])],
  ["package", () => packageIsSound()],
  ["size", () => run(process.execPath, ["scripts/size.mjs"])],
  ["docs", () => run(process.execPath, ["scripts/docs.mjs"])],
]

/** Packs what would be published, and looks at that. */
function packageIsSound() {
  rmSync(CACHE, { recursive: true, force: true })
  mkdirSync(CACHE)
  const npm = process.env["npm_execpath"]
  const pack = ["pack", "--ignore-scripts", "--pack-destination", CACHE, "--loglevel", "error"]
  if (!(npm === undefined ? run("npm", pack) : run(process.execPath, [npm, ...pack]))) return false
  /** @type {{ name: string, version: string }} */
  const { name, version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
  const tarball = join(CACHE, `${name}-${version}.tgz`)
  const isPublishable = runTool("publint", [tarball, "--strict"])
  const specifiers = entries.map(({ subpath }) => subpath)
  const attw = [tarball, "--profile", "esm-only", "--format", "ascii", "--entrypoints", ...specifiers]
  /** @param {string[]} args */
  const typesResolve = (...args) => runTool("@arethetypeswrong/cli", [...attw, ...args], { bin: "attw" })
  // Its report is pages long also when all is well: shown only when something is not.
  return (typesResolve("--quiet") || typesResolve()) && isPublishable
}

/**
 * One run of Vitest, and what it counted. The patient projects (vitest.config.ts) run beside the others; what they say comes at their end.
 *
 * @param {"patient" | "busy"} part
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
async function runTests(part) {
  const COUNTS_FILE = join(CACHE, `test-counts-${part}.json`)
  rmSync(COUNTS_FILE, { force: true })
  const isGreen = await startTool("vitest", ["run"], { env: { COUNTS_FILE, TEST_PART: part }, isKept: part === "patient" })
  try {
    const counts = JSON.parse(readFileSync(COUNTS_FILE, "utf8"))
    return isGreen ? counts : { ...counts, failed: Math.max(1, counts.failed) }
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}

/** @type {string[]} */
const failed = []
for (const [name, passes] of checks) {
  console.log(`\n> ${name}`)
  if (!passes()) failed.push(name)
}
console.log("\n> tests")
const runs = await Promise.all([runTests("busy"), runTests("patient")])
const tests = { passed: 0, failed: 0, skipped: 0 }
for (const counts of runs) {
  tests.passed += counts.passed
  tests.failed += counts.failed
  tests.skipped += counts.skipped
}

console.log(`\nchecks: ${checks.map(([name]) => `${name} ${failed.includes(name) ? "FAILED" : "ok"}`).join(", ")}`)
console.log(`tests: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`)
console.log(`${tests.passed + checks.length - failed.length} passed, ${tests.failed + failed.length} failed`)
process.exitCode = failed.length + tests.failed > 0 ? 1 : 0
