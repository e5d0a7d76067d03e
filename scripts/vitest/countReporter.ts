import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Reporter, TestModule, Vitest } from "vitest/node"

/** How many tests a run had; what `npm run check` adds up. */
export interface Counts {
  passed: number
  failed: number
  skipped: number
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
    const counts: Counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed += 1
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        counts[state === "pending" ? "skipped" : state] += 1
      }
    }
    for (const project of vitest.projects) {
      const { testFiles, typecheckTestFiles } = await project.globTestFiles()
      if (testFiles.length + typecheckTestFiles.length > 0) continue
      vitest.logger.error(`The project ${project.name} has no test file: is its include right?`)
      counts.failed += 1
      process.exitCode = 1
    }
    const file = process.env["COUNTS_FILE"]
    if (file === undefined) return
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(counts))
  }
}
