import { build } from "esbuild"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { ROOT } from "../../scripts/lib/entries.mjs"

/** As an application's bundler does it; `environment` is what it writes for `process.env.NODE_ENV`, if anything. */
async function bundle(contents: string, environment?: "production" | "development"): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    stdin: { contents, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    minify: true,
    format: "iife",
    // For a browser esbuild says which it is by itself.
    platform: "neutral",
    mainFields: ["module", "main"],
    define: environment ? { "process.env.NODE_ENV": JSON.stringify(environment) } : {},
    alias: { "#stream": `${ROOT}src/wire/streamFetch.ts` },
    external: ["react", "react/jsx-runtime"],
    write: false,
    logLevel: "silent",
    tsconfigRaw: { compilerOptions: { jsx: "react-jsx" } },
  })
  return outputFiles[0]?.text ?? ""
}

/** One notice, written as they are everywhere. */
const NOTICE = `import { notice } from "./src/lib/notice.ts"
notice(() => process.env.NODE_ENV !== "production" && "the tool returned nothing", 1)`

function saidIn(code: string, globals: object): unknown[][] {
  const said: unknown[][] = []
  runInNewContext(code, { ...globals, console: { warn: (...args: unknown[]) => said.push(args) } })
  return said
}

const TOLD = [["react-tool-client: the tool returned nothing", 1]]
const nodeAs = (NODE_ENV?: string) => ({ process: { env: { NODE_ENV } } })

describe("a notice to developers", () => {
  it("is told by a bundle for development, in a browser, which has no process", async () => {
    expect(saidIn(await bundle(NOTICE, "development"), {})).toEqual(TOLD)
  })

  it("is told on Node, but not in production", async () => {
    const code = await bundle(NOTICE)
    expect(saidIn(code, nodeAs())).toEqual(TOLD)
    expect(saidIn(code, nodeAs("test"))).toEqual(TOLD)
    expect(saidIn(code, nodeAs("production"))).toEqual([])
  })

  it("is not told, and nothing is thrown, where nobody says which it is", async () => {
    expect(saidIn(await bundle(NOTICE), {})).toEqual([])
  })

  it("has no text in a bundle for production", async () => {
    const everything = 'export * from "./src/index.ts"'
    const [production, development] = [await bundle(everything, "production"), await bundle(everything, "development")]
    for (const text of ["returned nothing; return a sentence", "two components offer the tool", "is shared and keeps the lifetime", "of one useTools list"]) {
      expect(production).not.toContain(text)
      expect(development).toContain(text)
    }
  })
})
