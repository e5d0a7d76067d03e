import { build, type Plugin } from "esbuild"
import { ROOT, sourceAliases } from "../../../scripts/lib/entries.mjs"

/** The package's own names, as its user writes them, lead to its sources. */
const packageFromSource: Plugin = {
  name: "package-from-source",
  setup({ onResolve }) {
    for (const { find, replacement } of sourceAliases("default")) onResolve({ filter: find }, () => ({ path: replacement }))
  },
}

/** The tests' page as one script, in memory. React's development build, whose StrictMode mounts everything twice. */
export async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["test/pages/page/main.tsx"],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"development"' },
    plugins: [packageFromSource],
    logLevel: "error",
  })
  return outputFiles[0]?.text ?? ""
}
