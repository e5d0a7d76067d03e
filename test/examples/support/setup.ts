import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { ROOT } from "../../../scripts/lib/entries.mjs"
import { run } from "../../../scripts/lib/run.mjs"
import { ensureDependencies } from "../../../scripts/lib/setup.mjs"

declare module "vitest" {
  interface ProvidedContext {
    /** What would be published, packed once for the whole run; the folder around it is removed at its end. */
    tarball: string
  }
}

const timeOf = (path: string): number => statSync(path).mtimeMs

/** After the build of `npm run check` there is nothing to do. */
function ensureBuilt(): void {
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).map((path) => join(ROOT, "src", path))
  const inputs = [...sources, join(ROOT, "package.json"), join(ROOT, "vite.config.ts")]
  // The declarations are written last.
  const built = join(ROOT, "dist/index.d.ts")
  if (existsSync(built) && inputs.every((path) => timeOf(path) <= timeOf(built))) return
  // Vite compiles JSX for what it finds in the environment, where vitest says "test".
  if (!run(process.execPath, ["scripts/build.mjs"], { NODE_ENV: "production" })) throw new Error("The package could not be built; the reason is above.")
}

function pack(folder: string): string {
  const npm = process.env["npm_execpath"]
  const [program, before] = npm === undefined ? ["npm", []] : [process.execPath, [npm]]
  const args = [...before, "pack", "--ignore-scripts", "--silent", "--pack-destination", folder]
  return join(folder, execFileSync(program, args, { cwd: ROOT, encoding: "utf8" }).trim())
}

export default function setup(project: TestProject): () => void {
  ensureBuilt()
  ensureDependencies("examples/next")
  const folder = mkdtempSync(join(tmpdir(), "react-tool-client-"))
  project.provide("tarball", pack(folder))
  return () => rmSync(folder, { recursive: true, force: true })
}
