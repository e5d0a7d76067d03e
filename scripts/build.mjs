// Builds dist: Vite for the code, tsc for the declarations; then checks what only the result can show.
import { build as bundle } from "esbuild"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { commands, entries, nodeEntries, privateImports, ROOT } from "./lib/entries.mjs"
import { runTool } from "./lib/run.mjs"

// Under a test runner it is "test", with which JSX would become React's development calls.
const env = { NODE_ENV: "production" }
if (!runTool("vite", ["build", "--logLevel", "warn"], { env })) process.exit(1)
if (!runTool("typescript", ["-p", "tsconfig.build.json"], { bin: "tsc" })) process.exit(1)
nameDeclarationsByTheirCode()

const problems = [...missingFiles(), ...(await entriesWithoutUseClient())]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`dist: ${entries.map(({ specifier }) => specifier).join(", ")}`)

/** `./store.ts` in a declaration becomes `./store.js`, as in the code beside it. */
function nameDeclarationsByTheirCode() {
  for (const name of readdirSync(`${ROOT}dist`, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue
    const path = `dist/${name}`
    const text = readFileSync(ROOT + path, "utf8")
    const named = text.replace(/((?:from |import |import\()"\.{1,2}\/[^"]+)\.tsx?"/g, '$1.js"')
    if (named !== text) writeFileSync(ROOT + path, named)
  }
}

function missingFiles() {
  return [...entries, ...nodeEntries, ...privateImports, ...commands]
    .flatMap(({ built }) => [built, built.replace(/\.js$/, ".d.ts")])
    .filter((path) => !existsSync(ROOT + path))
    .map((path) => `${path} was not built, but package.json names it`)
}

/** An entry whose code imports React must say `"use client"` first, so that a server component can import it. */
async function entriesWithoutUseClient() {
  const problems = []
  for (const { built, specifier } of entries) {
    const { metafile } = await bundle({
      absWorkingDir: ROOT,
      entryPoints: [built],
      bundle: true,
      format: "esm",
      packages: "external",
      metafile: true,
      write: false,
      logLevel: "error",
      tsconfigRaw: {},
    })
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports)
    const needsReact = imports.some(({ path }) => path === "react")
    if (needsReact && !/^["']use client["']/.test(readFileSync(ROOT + built, "utf8"))) {
      problems.push(`${built} (${specifier}) imports React, but does not begin with "use client"`)
    }
  }
  return problems
}
