import { dirname, join } from "node:path"
import type { Plugin } from "vite"
import { ROOT } from "../lib/entries.mjs"
import { blocksOf, documents } from "../lib/docBlocks.mjs"

const PREFIX = "docs:"

/** Imports a named block of a document as a module: `import "docs:README.md/Todos.tsx"`; blocks import each other as files do. */
export function docBlocks(): Plugin {
  const blocks = new Map(documents().flatMap((document) => blocksOf(document).map((block) => [block.path, block])))
  const candidates = (path: string) => [path, `${path}.tsx`, `${path}.ts`]
  return {
    name: "doc-blocks",
    enforce: "pre",
    resolveId(source, importer) {
      if (source.startsWith(PREFIX)) {
        const path = join(ROOT, ".cache/docs", source.slice(PREFIX.length))
        if (!blocks.has(path)) throw new Error(`No document has the block ${source}; named are ${[...blocks.keys()].join(", ")}`)
        return path
      }
      if (!importer || !blocks.has(importer) || !source.startsWith(".")) return null
      return candidates(join(dirname(importer), source)).find((path) => blocks.has(path)) ?? null
    },
    load(id) {
      const code = blocks.get(id)?.code
      // A test sees what the block has at the end, which the reader's copy has no need to export.
      return code?.replaceAll(/^const (?=[\w{[])/gm, "export const ") ?? null
    },
  }
}
