// The package's entry points, read from the `exports` of package.json: the one list that the build, the size limits,
// the package checks and every alias share. An export `./x: ./dist/x.js` is built from `src/x.ts` (or `.tsx`).
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const ROOT = fileURLToPath(new URL("../../", import.meta.url))

/** @type {{ name: string, exports: Record<string, string | { default: string, node?: string }>, imports: Record<string, Record<string, string>>, bin: Record<string, string> }} */
const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"))

/** @param {string} built */
function sourceOf(built) {
  const base = built.replace("./dist/", "src/").replace(/\.js$/, "")
  return [`${base}.ts`, `${base}.tsx`].find((path) => existsSync(ROOT + path)) ?? `${base}.ts`
}

/**
 * @typedef {object} Entry
 * @property {string} subpath as in `exports`: `.` or `./server`
 * @property {string} specifier what a user imports: `react-tool-client/server`
 * @property {string} source relative to the root: `src/server/index.ts`
 * @property {string} built relative to the root: `dist/server/index.js`
 */

/** @type {Entry[]} */
export const entries = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  typeof target === "string"
    ? []
    : [
        {
          subpath,
          specifier: manifest.name + subpath.slice(1),
          source: sourceOf(target.default),
          built: target.default.slice(2),
        },
      ],
)

/** Entries that have another file for Node. */
export const nodeEntries = Object.values(manifest.exports).flatMap((target) =>
  typeof target === "object" && target.node !== undefined ? [{ source: sourceOf(target.node), built: target.node.slice(2) }] : [],
)

/** The private imports (`#stream`), one row for each condition that package.json names. */
export const privateImports = Object.entries(manifest.imports).flatMap(([specifier, targets]) =>
  Object.entries(targets).map(([condition, built]) => ({
    specifier,
    condition,
    source: sourceOf(built),
    built: built.slice(2),
  })),
)

/** The commands (`bin`): `npx react-tool-client`. */
export const commands = Object.values(manifest.bin).map((built) => ({ source: sourceOf(built), built: built.slice(2) }))

/**
 * Vite aliases that take the package's own names to its sources.
 *
 * @param {"node" | "default"} condition which file stands behind the private imports: `node` for code that runs on
 * Node, `default` for a browser or jsdom
 * @returns {{ find: RegExp, replacement: string }[]}
 */
export function sourceAliases(condition) {
  return [
    ...entries.map(({ specifier, source }) => ({ specifier, source })),
    ...privateImports.filter((row) => row.condition === condition),
  ].map(({ specifier, source }) => ({ find: new RegExp(`^${specifier}$`), replacement: ROOT + source }))
}
