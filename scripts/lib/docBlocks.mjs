// The code of the documents: every block of TypeScript in a Markdown file is a module of its own. A block is named by a comment
// above it, `<!-- file: Todos.tsx -->`, where another block of the same document imports it.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "./entries.mjs"

/**
 * @typedef {object} DocBlock
 * @property {string} document relative to the root: `docs/guides/testing.md`
 * @property {number} line of the block's first line of code, from 1
 * @property {string} path where the module would lie, absolute; no such file exists
 * @property {string} code
 */

const BLOCK = /^(?:<!-- file: (?<name>\S+) -->\n+)?```(?<language>tsx?)\n(?<code>[^]*?)^```$/gm

/** Every document whose code must hold, relative to the root. */
export function documents() {
  // The reference is made from the sources, perhaps at this very moment: it is not even looked into.
  const docs = readdirSync(join(ROOT, "docs"), { withFileTypes: true }).filter(({ name }) => name !== "reference")
  const paths = docs.flatMap((entry) => {
    const path = `docs/${entry.name}`
    if (!entry.isDirectory()) return [path]
    return readdirSync(join(ROOT, path), { recursive: true, encoding: "utf8" }).map((below) => `${path}/${below.replaceAll("\\", "/")}`)
  })
  return ["README.md", ...paths.filter((path) => path.endsWith(".md"))].sort()
}

/**
 * @param {string} document
 * @returns {DocBlock[]}
 */
export function blocksOf(document) {
  const text = readFileSync(join(ROOT, document), "utf8")
  return [...text.matchAll(BLOCK)].map((match, index) => {
    const { name, language = "ts", code = "" } = match.groups ?? {}
    const line = text.slice(0, match.index + match[0].indexOf("```")).split("\n").length + 1
    // Beside the documents' sources no `node_modules` would be found: the modules lie where the checkout's are.
    return { document, line, path: join(ROOT, ".cache/docs", document, name ?? `block${index + 1}.${language}`), code }
  })
}
