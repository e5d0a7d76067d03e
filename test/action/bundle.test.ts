import { build } from "esbuild"
import { describe, expect, it } from "vitest"
import { entries, privateImports, ROOT } from "../../scripts/lib/entries.mjs"

const ENGINE = ["quickjs-emscripten-core", "@jitl/quickjs-wasmfile-release-sync"]

/** What a page's bundle of one statement holds of the library's sources and of other packages. */
async function bundle(statement: string): Promise<{ readonly inputs: string[]; readonly packages: string[] }> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    stdin: { contents: statement, resolveDir: ROOT, sourcefile: "app.ts" },
    alias: Object.fromEntries([...privateImports.filter(({ condition }) => condition === "default"), ...entries].map(({ specifier, source }) => [specifier, ROOT + source]).reverse()),
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    external: ["ai", ...ENGINE, "zod", "react"],
    metafile: true,
    write: false,
    logLevel: "silent",
    tsconfigRaw: {},
  })
  const [output] = Object.values(metafile.outputs)
  const inputs = Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path.replace(/^src\//, "")] : []))
  return { inputs, packages: (output?.imports ?? []).map(({ path }) => path) }
}

describe("a bundle", () => {
  it("of defineTool alone holds no agent, no sandbox, no host, no client and no other package's code", async () => {
    const { inputs, packages } = await bundle(`import { defineTool } from "react-tool-client/tools"; globalThis.tool = defineTool`)
    expect(inputs.filter((path) => /agent|sandbox|script|host|client|manifest|schemaOf/i.test(path))).toEqual([])
    expect(inputs).toContain("action/tool.ts")
    // esbuild keeps what it was told is external; a real zod is dropped by its own sideEffects: false.
    expect(packages.filter((name) => name !== "zod")).toEqual([])
  })

  it("of the client holds no agent and no sandbox", async () => {
    const { inputs, packages } = await bundle(`import { createActionClient } from "react-tool-client/tools"; globalThis.client = createActionClient`)
    expect(inputs.filter((path) => /agent|sandbox|script|host\.ts/i.test(path))).toEqual([])
    expect(packages.filter((name) => name !== "zod")).toEqual([])
  })

  it("of the sandbox loads QuickJS only when a script runs, and no AI SDK", async () => {
    const { packages } = await bundle(`import { Sandbox } from "react-tool-client/tools"; globalThis.sandbox = Sandbox`)
    expect(packages.filter((name) => name !== "zod")).toEqual(ENGINE)
  })
})
