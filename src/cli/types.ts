import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { createActionClient } from "../action/actionClient.ts"
import { MANIFEST_PATH } from "../action/envelope.ts"
import { type Manifest, readManifest } from "../action/manifest.ts"
import { reasonOf } from "../tool/reason.ts"
import { apiTypes, versionOfTypes } from "./apiTypes.ts"
import { type Command, UsageError } from "./command.ts"

const options = {
  output: { type: "string", short: "o" },
  header: { type: "string", short: "H", multiple: true },
  check: { type: "boolean" },
} as const

function headersOf(lines: readonly string[]): [string, string][] {
  return lines.map((line) => {
    const colon = line.indexOf(":")
    if (colon < 1) throw new UsageError(`a header is written "name: value", not "${line}"`)
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
  })
}

/** Reads a manifest from a file, or from a host: its base URL, or the manifest's own. */
async function manifestAt(source: string, cwd: string, headers: [string, string][]): Promise<Manifest> {
  if (/^https?:/i.test(source)) {
    const baseUrl = source.replace(/\/+$/, "")
    return createActionClient({ baseUrl: baseUrl.endsWith(MANIFEST_PATH) ? baseUrl.slice(0, -MANIFEST_PATH.length) : baseUrl, headers }).manifest()
  }
  if (/^(?!file:)[a-z][a-z0-9+.-]+:\/\//i.test(source)) throw new UsageError(`a manifest is read from http:, https: or a file, not from "${source}"`)
  const path = /^file:/i.test(source) ? fileURLToPath(source) : resolve(cwd, source)
  let value: unknown
  try {
    // Some shells write a byte order mark in front of what they redirect.
    value = JSON.parse((await readFile(path, "utf8")).replace(/^\uFEFF/, ""))
  } catch (cause) {
    throw new Error(`${path} could not be read as JSON: ${reasonOf(cause)}`, { cause })
  }
  return readManifest(value)
}

/** Its folders too, where they are not there. */
async function write(path: string, code: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, code)
  } catch (cause) {
    throw new Error(`${path} could not be written: ${reasonOf(cause)}`, { cause })
  }
}

/** Writes the types of a host's actions, or looks whether a file of them is still those of the host. */
export const types: Command = {
  usage: "<host, manifest URL or file> [-o file] [--check] [-H 'name: value']...",
  summary: "writes the TypeScript of a host's actions; with --check only looks whether the file is still up to date",
  async run(args, terminal) {
    let parsed
    try {
      parsed = parseArgs({ args: [...args], options, allowPositionals: true })
    } catch (cause) {
      throw new UsageError(reasonOf(cause))
    }
    const { values, positionals } = parsed
    const [source] = positionals
    if (source === undefined || positionals.length > 1) throw new UsageError("name one host, manifest URL or file")
    if (values.check && values.output === undefined) throw new UsageError("--check needs the file: -o file")
    const manifest = await manifestAt(source, terminal.cwd, headersOf(values.header ?? []))
    if (values.output === undefined) {
      terminal.print(await apiTypes(manifest))
      return 0
    }
    const path = resolve(terminal.cwd, values.output)
    if (!values.check) {
      await write(path, await apiTypes(manifest))
      return 0
    }
    const written = versionOfTypes(await readFile(path, "utf8").catch(() => ""))
    if (written === manifest.version) return 0
    terminal.warn(`${values.output} is ${written === undefined ? "not a file of types" : `of the manifest ${written}`}, the host has ${manifest.version}. Write it again without --check.`)
    return 1
  },
}
