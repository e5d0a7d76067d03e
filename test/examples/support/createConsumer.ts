import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { inject } from "vitest"
import { ROOT } from "../../../scripts/lib/entries.mjs"

/** A package of a project, as `from` has it installed. */
function link(project: string, name: string, from: string): void {
  const place = join(project, "node_modules", name)
  if (existsSync(place)) return
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(join(from, "node_modules", name), place, "junction")
}

/**
 * Puts the packed library into a project's node_modules, beside it `packages`, and what the library's package.json declares.
 *
 * @param from - The folder that has the packages installed.
 */
export function installPacked(project: string, packages: readonly string[] = [], from = ROOT): void {
  const library = join(project, "node_modules/react-tool-client")
  mkdirSync(library, { recursive: true })
  execFileSync("tar", ["-xzf", inject("tarball"), "-C", library, "--strip-components=1"])
  for (const name of packages) link(project, name, from)
  const { dependencies } = JSON.parse(readFileSync(join(library, "package.json"), "utf8")) as { dependencies: Record<string, string> }
  for (const name of Object.keys(dependencies)) link(project, name, ROOT)
}

/**
 * Makes a project that has installed the packed library: outside of the repository, so that nothing undeclared is found.
 *
 * @param options.packages - What it has installed beside; React only if it stands here.
 * @param options.files - Folders of this repository, copied to the same paths.
 */
export function createConsumer(options: { readonly packages?: readonly string[]; readonly files: readonly string[] }): string {
  const project = mkdtempSync(join(dirname(inject("tarball")), "consumer-"))
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  installPacked(project, options.packages)
  for (const path of options.files) cpSync(join(ROOT, path), join(project, path), { recursive: true })
  return project
}
