import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL(".", import.meta.url))

const manifest = JSON.parse(readFileSync(`${here}package.json`, "utf8")) as { dependencies: Record<string, string> }

/** Takes React, and what must share its copy of React, from this folder's own node_modules. */
export const react18Aliases = Object.keys(manifest.dependencies).map((name) => ({
  find: new RegExp(`^${name}(?=/|$)`),
  replacement: `${here}node_modules/${name}`,
}))
