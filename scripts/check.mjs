// Everything that must hold, in one run: each check by its own tool, and all tests. What computes runs beside what waits. Whatever fails
// stops nothing else, and is said once more at the end. The last line counts every test, and every check as one more.
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { entries, ROOT } from "./lib/entries.mjs"
import { fileOf, start } from "./lib/run.mjs"

/**
 * @typedef {(program: string, args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<boolean>} Run
 * @typedef {{ passed: number, failed: number, skipped: number, failures: readonly string[] }} Counts
 */

const CACHE = join(ROOT, ".cache")

/** How much of a failed check's output is said again at the end, in lines. */
const TAIL_LINES = 40

/** The tools write colours where this process could show them. */
const COLOURS = process.stdout.isTTY && process.env["NO_COLOR"] === undefined ? { FORCE_COLOR: "1" } : {}

/** @type {[name: string, passes: (run: Run) => Promise<boolean>][]} */
const checks = [
  ["package", packageIsSound],
  ["size", (run) => run(process.execPath, ["scripts/size.mjs"])],
  ["lint", (run) => run(process.execPath, [fileOf("eslint"), ".", "--max-warnings", "0"])],
  ["unused", (run) => run(process.execPath, [fileOf("knip")])],
  ["docs", (run) => run(process.execPath, ["scripts/docs.mjs"])],
]

/**
 * Packs what would be published, and looks at that.
 *
 * @param {Run} run
 */
async function packageIsSound(run) {
  const npm = process.env["npm_execpath"]
  const pack = ["pack", "--ignore-scripts", "--pack-destination", CACHE, "--loglevel", "error"]
  if (!(npm === undefined ? await run("npm", pack) : await run(process.execPath, [npm, ...pack]))) return false
  /** @type {{ name: string, version: string }} */
  const { name, version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
  const tarball = join(CACHE, `${name}-${version}.tgz`)
  const isPublishable = await run(process.execPath, [fileOf("publint"), tarball, "--strict"])
  const specifiers = entries.map(({ subpath }) => subpath)
  const attw = [fileOf("@arethetypeswrong/cli", "attw"), tarball, "--profile", "esm-only", "--format", "ascii", "--entrypoints", ...specifiers]
  // Its report is pages long also when all is well: shown only when something is not.
  return ((await run(process.execPath, [...attw, "--quiet"])) || (await run(process.execPath, attw))) && isPublishable
}

/** @type {Map<string, string>} what each check and each run of tests that failed has said */
const failed = new Map()

/**
 * Keeps what a check says, and shows it whole when it has ended: others run beside it.
 *
 * @param {string} name
 * @param {(run: Run) => Promise<boolean>} passes
 * @param {object} [options]
 * @param {boolean} [options.givesWay] to the tests, which may be late only by so much. `@default true`
 */
async function check(name, passes, { givesWay = true } = {}) {
  let said = ""
  const begin = Date.now()
  const isPassed = await passes((program, args, env) =>
    start(program, args, { say: (text) => void (said += text), givesWay, env: { ...COLOURS, ...env } }),
  )
  console.log(`\n> ${name}: ${isPassed ? "ok" : "FAILED"}, ${Math.round((Date.now() - begin) / 1_000)} s\n${said.trimEnd()}`)
  if (!isPassed) failed.set(name, said)
  return isPassed
}

/**
 * One run of Vitest, and what it counted. It fails also where it never came to counting.
 *
 * @param {"computing" | "waiting" | "types"} part of the projects, as vitest.config.ts divides them
 * @param {(COUNTS_FILE: string) => Promise<boolean>} runVitest
 * @returns {Promise<Counts>}
 */
async function countTests(part, runVitest) {
  const COUNTS_FILE = join(CACHE, `test-counts-${part}.json`)
  const isGreen = await runVitest(COUNTS_FILE)
  try {
    /** @type {Counts} */
    const counts = JSON.parse(readFileSync(COUNTS_FILE, "utf8"))
    return isGreen || counts.failed > 0 ? counts : { ...counts, failed: 1, failures: [`the tests that are ${part}: Vitest says that the run failed; its output above says why`] }
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: [`the tests that are ${part}: Vitest ended before it had counted them; its output above says why`] }
  }
}

/** @param {"computing" | "waiting"} part */
const runTests = (part) =>
  countTests(part, (COUNTS_FILE) => {
    let rest = ""
    /** @param {string} text whole lines, so that two runs do not write into each other's */
    const say = (text) => {
      const end = (rest + text).lastIndexOf("\n") + 1
      process.stdout.write((rest + text).slice(0, end))
      rest = (rest + text).slice(end)
    }
    return start(process.execPath, [fileOf("vitest"), "run"], { say, env: { ...COLOURS, COUNTS_FILE, TEST_PART: part } })
  })

/** The tests of types and all other code are checked by one run of tsc. */
const checkTypes = () =>
  countTests("types", (COUNTS_FILE) => check("types", (run) => run(process.execPath, [fileOf("vitest"), "run"], { COUNTS_FILE, TEST_PART: "types" })))

rmSync(CACHE, { recursive: true, force: true })
mkdirSync(CACHE)

const computing = runTests("computing")
const isBuilt = check("build", (run) => run(process.execPath, ["scripts/build.mjs"]), { givesWay: false })
// The examples install what was built.
const waiting = isBuilt.then(() => runTests("waiting"))
await isBuilt
for (const [name, passes] of checks) await check(name, passes)
const runs = await Promise.all([checkTypes(), computing, waiting])

/** @param {"passed" | "failed" | "skipped"} kind */
const sum = (kind) => runs.reduce((total, counts) => total + counts[kind], 0)
const [passed, failedTests, skipped] = [sum("passed"), sum("failed"), sum("skipped")]
const names = ["build", ...checks.map(([name]) => name), "types"]

for (const [name, said] of failed) console.log(`\n${name} FAILED. The end of what it said:\n${said.trimEnd().split("\n").slice(-TAIL_LINES).join("\n")}`)
for (const failure of runs.flatMap(({ failures }) => failures)) console.log(`\nFAILED ${failure}`)

console.log(`\nchecks: ${names.map((name) => `${name} ${failed.has(name) ? "FAILED" : "ok"}`).join(", ")}`)
console.log(`tests: ${passed} passed, ${failedTests} failed, ${skipped} skipped`)
console.log(`${passed + names.length - failed.size} passed, ${failedTests + failed.size} failed`)
process.exitCode = failed.size + failedTests > 0 ? 1 : 0
