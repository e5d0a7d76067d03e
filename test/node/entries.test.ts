import { build } from "esbuild"
import { join } from "node:path"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import { entries, privateImports, ROOT } from "../../scripts/lib/entries.mjs"

/** All that a user of an entry gets into a bundle, or must have installed, beside the package's own code. */
const PULLS: Readonly<Record<string, readonly string[]>> = {
  ".": ["eventsource-parser", "react", "use-sync-external-store"],
  "./client": ["eventsource-parser"],
  "./hub": [],
  "./hub/react": ["react", "use-sync-external-store"],
  "./query": ["@tanstack/react-query", "react"],
  "./server": ["@hono/node-server", "hono", "jose", "node:", "ws", "zod"],
  "./server/ai-sdk": ["ai"],
  "./server/redis": ["ioredis", "node:"],
  "./server/mcp": ["@modelcontextprotocol/sdk"],
  "./tools": ["@jitl/quickjs-wasmfile-release-sync", "ai", "quickjs-emscripten-core", "zod"],
  "./sandbox-worker": ["@jitl/quickjs-wasmfile-release-sync", "quickjs-emscripten-core"],
  "./webmcp": ["react"],
  "./devtools": ["@tanstack/react-virtual", "react", "react-dom"],
  "./devtools/production": ["@tanstack/react-virtual", "react", "react-dom"],
  "./testing": [],
  "./testing/react": ["@testing-library/react", "react"],
  "./testing/vitest": ["vitest"],
}

async function packagesBehind(entryPoint: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entryPoint],
    bundle: true,
    format: "esm",
    packages: "external",
    alias: Object.fromEntries(
      privateImports
        .filter(({ condition }) => condition === "default")
        .map(({ specifier, source }) => [specifier, ROOT + source]),
    ),
    metafile: true,
    write: false,
    logLevel: "silent",
    tsconfigRaw: { compilerOptions: { jsx: "react-jsx" } },
  })
  const paths = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  return [...new Set(paths.map(packageName))].sort()
}

function packageName(path: string): string {
  if (path.startsWith("node:")) return "node:"
  return path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/")
}

describe.each(entries)("the entry $specifier", ({ subpath, specifier, source }) => {
  it("pulls only its own packages into a bundle", async () => {
    const unexpected = (await packagesBehind(source)).filter((name) => !PULLS[subpath]?.includes(name))
    expect(unexpected).toEqual([])
  })

  it("is taken from its source by TypeScript in this repository", () => {
    const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile)
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
    const importer = join(ROOT, "test/node/entries.test.ts")
    const { resolvedModule } = ts.resolveModuleName(specifier, importer, options, ts.sys)
    expect(resolvedModule?.resolvedFileName).toBe(join(ROOT, source))
  })
})

it("would notice a package that does not belong", async () => {
  expect(await packagesBehind("scripts/size.mjs")).toContain("esbuild")
})
