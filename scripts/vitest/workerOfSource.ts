// Stands behind `#createWorker` in tests that run on Node: the same worker, bundled from its source.
import { build } from "esbuild"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { Worker } from "node:worker_threads"
import type { SandboxWorker } from "../../src/action/sandbox/sandboxWorkerType.ts"
import { ROOT } from "../lib/entries.mjs"

let bundled: Promise<string> | undefined

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/action/sandbox/sandboxWorkerNode.ts"],
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    write: false,
    tsconfigRaw: {},
  })
  const text = outputFiles[0]?.text ?? ""
  const folder = `${ROOT}.cache/workers`
  const path = `${folder}/${createHash("sha256").update(text).digest("hex").slice(0, 16)}.mjs`
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  // Several test files may be at it.
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, path)
  return path
}

/** As `createWorkerNode.ts` has it. */
export async function createWorker(): Promise<SandboxWorker> {
  bundled ??= bundle()
  return new Worker(await bundled)
}
