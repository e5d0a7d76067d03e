import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Reporter, TestModule, Vitest } from "vitest/node"

/** What a run of tests came to; `npm run check` adds these up. */
export interface Counts {
  passed: number
  failed: number
  skipped: number
  /** What to say of each failure where the run's own report has scrolled away. */
  failures: string[]
}

/** As Vitest gives an error, whatever was thrown. */
interface SaidError {
  readonly message?: string
  readonly stack?: string
  /** Of a type error, which has no other place. */
  readonly stacks?: readonly { readonly file: string; readonly line: number; readonly column: number }[]
}

/** The first place of an error that lies in this repository and not in what it has installed. */
function placeOf({ stack = "", stacks = [] }: SaidError): string[] {
  const lines = stack.split("\n").filter((line) => /^\s*at /.test(line))
  const places = [...lines, ...stacks.map(({ file, line, column }) => `at ${file}:${line}:${column}`)]
  return places.filter((place) => !/node_modules|node:/.test(place)).slice(0, 1)
}

/** How much of an error's message is said, in lines: a difference may go on for pages. */
const MESSAGE_LINES = 12

/** `what`, and below it each error with its place. */
function failureOf(what: string, errors: readonly SaidError[] = []): string {
  const lines = errors.flatMap((error) => [...(error.message ?? "something without a message was thrown").split("\n").slice(0, MESSAGE_LINES), ...placeOf(error)])
  return [what, ...lines.map((line) => `    ${line.trim()}`)].join("\n")
}

/**
 * Counts what ran, and fails a run with a project that has no test file at all: a wrong glob would otherwise pass for
 * ever. With `COUNTS_FILE` set, the totals are written there.
 */
export class CountReporter implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  async onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): Promise<void> {
    const vitest = this.#vitest
    if (vitest === undefined) return
    const counts: Counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, failures: [] }
    for (const error of unhandledErrors) counts.failures.push(failureOf("an error that no test caught", [error as SaidError]))
    for (const module of modules) {
      const where = `${module.project.name} ${module.relativeModuleId}`
      if (module.errors().length > 0) {
        counts.failed += 1
        counts.failures.push(failureOf(where, module.errors()))
      }
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        counts[state === "pending" ? "skipped" : state] += 1
        if (state === "failed") counts.failures.push(failureOf(`${where} > ${test.fullName}`, errors))
      }
    }
    for (const project of vitest.projects) {
      const { testFiles, typecheckTestFiles } = await project.globTestFiles()
      if (testFiles.length + typecheckTestFiles.length > 0) continue
      const problem = `The project ${project.name} has no test file: is its include right?`
      vitest.logger.error(problem)
      counts.failed += 1
      counts.failures.push(problem)
      process.exitCode = 1
    }
    const file = process.env["COUNTS_FILE"]
    if (file === undefined) return
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(counts))
  }
}
