import { join } from "node:path"
import { build } from "esbuild"
import { expect, it } from "vitest"
import { ROOT } from "../../scripts/lib/entries.mjs"

it("The playground's dev server starts where nothing is built: it imports nothing that leads to dist", async () => {
  const { metafile } = await build({
    entryPoints: [join(ROOT, "playground/vite.config.ts")],
    absWorkingDir: ROOT,
    bundle: true,
    // As Vite reads its configuration: only what is here becomes part of it.
    packages: "external",
    platform: "node",
    format: "esm",
    metafile: true,
    write: false,
    logLevel: "error",
  })
  const imports = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  expect(imports.length).toBeGreaterThan(50)
  expect(imports.filter((path) => path.startsWith("#") || path.startsWith("react-tool-client"))).toEqual([])
})
