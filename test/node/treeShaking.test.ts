import { build } from "esbuild"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { entries, nodeEntries, privateImports, ROOT } from "../../scripts/lib/entries.mjs"

const alias = Object.fromEntries(
  privateImports.filter(({ condition }) => condition === "default").map(({ specifier, source }) => [specifier, ROOT + source]),
)

/** The sources of this package that are left in an application's bundle of some code. */
async function held(contents: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    stdin: { contents, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    format: "esm",
    packages: "external",
    alias,
    define: { "process.env.NODE_ENV": '"production"' },
    metafile: true,
    write: false,
    outdir: "unused",
    logLevel: "silent",
    tsconfigRaw: { compilerOptions: { jsx: "react-jsx" } },
  })
  const [output] = Object.values(metafile.outputs)
  return Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) => (path.startsWith("src/") && bytesInOutput > 0 ? [path] : []))
}

describe("tree shaking", () => {
  it.each(entries.filter(({ subpath }) => subpath !== "./testing/vitest"))("leaves nothing of $specifier where nothing of it is used", async ({ source }) => {
    expect(await held(`import * as entry from "./${source}"\nexport const used = 1`)).toEqual([])
  })

  it("is told of the entries that are imported for what they do", () => {
    const { sideEffects } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as { sideEffects: unknown }
    const actors = entries.filter(({ subpath }) => subpath === "./testing/vitest" || subpath === "./sandbox-worker")
    expect(sideEffects).toEqual([...actors, ...nodeEntries].map(({ built }) => `./${built}`).sort())
  })

  it.each([
    ["a schema's description needs no client", `export { parametersOf } from "./src/index.ts"`, /^src\/(react|session|connection|wire|toolClient)\//],
    ["the client needs no hooks", `export { createSessionClient } from "./src/index.ts"`, /^src\/react\//],
    ["one tool needs no host, sandbox or model", `export { defineTool } from "./src/tools.ts"`, /actionHost|sandbox|agentRun|modelTools/i],
    ["a provider's format needs nothing else", `export { toModelTools } from "./src/tools.ts"`, /actionHost|sandbox|agentRun|actionClient/i],
    ["a session server needs no hub", `export { createSessionServer } from "./src/server/index.ts"`, /hub(Server|Connection|User)|react/],
  ])("%s", async (_, contents, unwanted) => {
    const sources = await held(contents)
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.filter((path) => unwanted.test(path))).toEqual([])
  })
})
