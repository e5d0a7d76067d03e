import { build } from "esbuild"
import { build as viteBuild } from "vite"
import { expect, it } from "vitest"
import { ROOT } from "../../scripts/lib/entries.mjs"

const application = (entry: string): string =>
  `import { ToolDevtools } from ${JSON.stringify(`${ROOT}src/devtools/${entry}.ts`)}; globalThis.application = [ToolDevtools]`

/** What esbuild makes of an application that shows the panel, and what it would load of that. */
async function bundle(entry: string, environment: string): Promise<{ code: string; sources: string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    stdin: { contents: application(entry), resolveDir: ROOT, sourcefile: "application.js" },
    bundle: true,
    format: "esm",
    splitting: true,
    outdir: "out",
    write: false,
    metafile: true,
    define: { "process.env.NODE_ENV": JSON.stringify(environment) },
    external: ["react", "react-dom"],
    logLevel: "silent",
    tsconfigRaw: { compilerOptions: { jsx: "react-jsx" } },
  })
  const loaded = new Set<string>()
  const load = (path: string): void => {
    const output = metafile.outputs[path]
    if (!output || loaded.has(path)) return
    loaded.add(path)
    for (const imported of output.imports) load(imported.path)
  }
  load(Object.keys(metafile.outputs).find((path) => metafile.outputs[path]?.entryPoint === "application.js") ?? "out/stdin.js")
  const sources = [...loaded].flatMap((path) => Object.entries(metafile.outputs[path]?.inputs ?? {}))
  return {
    code: outputFiles.filter(({ path }) => [...loaded].some((one) => path.endsWith(one))).map(({ text }) => text).join("\n"),
    sources: sources.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path).sort(),
  }
}

it("A production build loads nothing of the live panel but a component that renders nothing", async () => {
  const { code, sources } = await bundle("index", "production")
  expect(sources).toEqual(["application.js", "src/devtools/ToolDevtools.ts"])
  expect(code).not.toContain("attachShadow")
})

it("A production build of Vite holds nothing else of it either", async () => {
  const result = await viteBuild({
    root: ROOT,
    configFile: false,
    logLevel: "silent",
    mode: "production",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [
      {
        name: "application",
        resolveId: (id) => (id === "application" ? "\0application" : null),
        load: (id) => (id === "\0application" ? application("index") : null),
      },
    ],
    build: { write: false, rolldownOptions: { input: "application", external: ["react", "react-dom"] } },
  })
  const [{ output }] = (Array.isArray(result) ? result : [result]) as [{ output: { fileName: string; code?: string }[] }]
  expect(output).toHaveLength(1)
  expect(output[0]?.code).not.toContain("attachShadow")
})

it("A development build loads the panel only when it is shown, and so does the entry for production", async () => {
  for (const [entry, environment] of [["index", "development"], ["production", "production"]] as const) {
    const { code, sources } = await bundle(entry, environment)
    expect(sources).toContain("src/devtools/panel/Panel.tsx")
    expect(code).toMatch(/import\("\.\/Panel-\w+\.js"\)/)
  }
})
