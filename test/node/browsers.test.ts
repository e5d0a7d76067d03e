// The browsers that the README promises can read what is built, and have what it calls.
import { build } from "esbuild"
import { readFileSync } from "node:fs"
import { defineAction, defineProvider, manifestOf, ProviderRegistry } from "react-tool-client/tools"
import { afterEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { entries, ROOT } from "../../scripts/lib/entries.mjs"

/** As esbuild writes them; the README says them in words. */
const BROWSERS = ["chrome98", "firefox104", "safari15.4"]

/** Entries that run on Node or in a test runner only. */
const NOT_FOR_PAGES = /^\.\/(server|testing|package)/

/** What came to all browsers later than that, as it is written in code; also `randomUUID`, which pages have over HTTPS only. */
const NEWER =
  /\b(structuredClone|randomUUID|withResolvers|canParse|toSorted|toReversed|toSpliced|groupBy|isWellFormed|toWellFormed|fromAsync|requestIdleCallback|hasIndices|isSubsetOf)\b|AbortSignal\.(any|timeout)|URL\.parse|Promise\.try|Iterator\.from|RegExp\.escape|\(\?<[=!]/g

const forPages = entries.filter(({ subpath }) => !NOT_FOR_PAGES.test(subpath))

async function bundle(source: string, target: readonly string[]): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [source],
    bundle: true,
    format: "esm",
    packages: "external",
    alias: { "#stream": `${ROOT}src/wire/streamFetch.ts`, "#webSocket": `${ROOT}src/hub/webSocketPlatform.ts` },
    external: ["#createWorker"],
    target: [...target],
    // It means the newest properties; all of ours are as old as the syntax.
    supported: { "regexp-unicode-property-escapes": true },
    write: false,
    splitting: true,
    outdir: "out",
    logLevel: "silent",
    tsconfigRaw: { compilerOptions: { jsx: "react-jsx", target: "esnext", useDefineForClassFields: true } },
  })
  return outputFiles.map(({ text }) => text).join("\n")
}

it("are those that the README names", () => {
  expect(readFileSync(`${ROOT}README.md`, "utf8")).toContain("Chrome and Edge 98, Firefox 104, Safari 15.4")
  expect(forPages.length).toBeGreaterThan(6)
})

it.each(["structuredClone(x)", "AbortSignal.any([a])", "/(?<=a)b/", "crypto.randomUUID()"])("would find %s", (code) => {
  expect(code.match(NEWER)).toHaveLength(1)
})

describe.each(forPages)("the entry $specifier", ({ source }) => {
  it("is written in a language that they read as it is", async () => {
    // What they could not read would be written otherwise.
    expect(await bundle(source, BROWSERS)).toBe(await bundle(source, ["esnext"]))
  })

  it("calls nothing that they have not, not even over plain HTTP", async () => {
    const code = (await bundle(source, ["esnext"])).replace(/^\s*\/\/.*$|\/\*[^]*?\*\//gm, "")
    expect(code.match(NEWER) ?? []).toEqual([])
  })
})

describe("over plain HTTP, where crypto has random bytes only,", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it("a manifest has a version that is its content's", async () => {
    vi.stubGlobal("crypto", { getRandomValues: (bytes: Uint8Array) => bytes })
    const versionOf = async (description: string) => {
      const add = defineAction({ id: "add", name: "Add", description, input: z.object({}), output: z.object({}), execute: () => ({}) })
      return (await manifestOf(new ProviderRegistry({ providers: [defineProvider({ id: "demo", name: "Demo", description: "Adds.", actions: [add] })] }))).version
    }
    expect(await versionOf("Adds.")).toMatch(/^[0-9a-f]{16}$/)
    expect(await versionOf("Adds.")).toBe(await versionOf("Adds."))
    expect(await versionOf("Adds.")).not.toBe(await versionOf("Adds!"))
  })
})
