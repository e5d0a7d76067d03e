import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { reasonOf } from "../tool/reason.ts"

/** The words of a file that a flag names, a line each, so that a new key can stand before the old. None without a file. */
export async function linesOf(flag: string, file: string | undefined, cwd: string): Promise<readonly string[]> {
  if (file === undefined) return []
  const path = resolve(cwd, file)
  const content = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new Error(`--${flag}: ${path} could not be read: ${reasonOf(cause)}`, { cause })
  })
  const lines = content.split("\n").map((line) => line.trim()).filter(Boolean)
  if (lines.length === 0) throw new Error(`--${flag}: ${path} is empty.`)
  return lines
}
