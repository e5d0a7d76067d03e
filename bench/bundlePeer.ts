import { build } from "esbuild"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { entries, privateImports, ROOT } from "../scripts/lib/entries.mjs"

export const PEERS = join(ROOT, "bench/peers")

const own = (name: string): string => join(PEERS, "node_modules", name)

/** Everybody gets the same React, and this package its sources. */
const alias = Object.fromEntries([
  ...["react", "react-dom", "zod"].map((name) => [name, own(name)]),
  ...entries.map(({ specifier, source }) => [specifier, join(ROOT, source)]),
  ...privateImports.filter(({ condition }) => condition === "default").map(({ specifier, source }) => [specifier, join(ROOT, source)]),
]) as Record<string, string>

const shared = {
  absWorkingDir: PEERS,
  bundle: true,
  minify: true,
  write: false,
  platform: "browser",
  target: "es2022",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  loader: { ".css": "empty", ".woff2": "empty" },
  logLevel: "error",
  // Its paths are for Node.
  tsconfigRaw: {},
} as const

/** The page's script that measures one library. */
export async function bundleSubject(subject: string): Promise<string> {
  const contents = `import "./subjects/${subject}.tsx"\nimport "./inPage.tsx"`
  const { outputFiles } = await build({ ...shared, alias, format: "iife", stdin: { contents, resolveDir: PEERS, loader: "ts" } })
  return outputFiles[0]?.text ?? ""
}

/** Gzipped bytes of what an application's first load gets from one import, with React and zod outside. */
export async function weighImport(contents: string): Promise<number> {
  const { react: _, "react-dom": __, zod: ___, ...rest } = alias
  const { outputFiles } = await build({
    ...shared,
    alias: rest,
    format: "esm",
    splitting: true,
    outdir: join(PEERS, "out"),
    external: ["react", "react-dom", "react/*", "react-dom/*", "zod", "zod/*"],
    stdin: { contents, resolveDir: PEERS, loader: "ts" },
  })
  // What is imported lazily lies in chunks that the first file does not import at once.
  const files = new Map(outputFiles.map(({ path, text }) => [path.slice(path.lastIndexOf("/") + 1), text]))
  const needed = new Set(["stdin.js"])
  for (const name of needed) {
    for (const [, chunk = ""] of (files.get(name) ?? "").matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g)) needed.add(chunk)
  }
  return [...needed].reduce((bytes, name) => bytes + gzipSync(files.get(name) ?? "", { level: 9 }).length, 0)
}

/** As installed. */
export function versionOf(name: string): string {
  return (JSON.parse(readFileSync(join(own(name), "package.json"), "utf8")) as { version: string }).version
}
