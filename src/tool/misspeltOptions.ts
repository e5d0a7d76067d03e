import { similarName } from "../lib/similarName.ts"

/** What other libraries, and haste, call the properties of a definition. */
const MEANT: Readonly<Record<string, string>> = {
  handler: "execute",
  run: "execute",
  callback: "execute",
  func: "execute",
  inputschema: "schema",
  input: "schema",
  outputschema: "output",
  timeoutms: "timeout",
  disabled: "enabled",
  available: "enabled",
  readonlyhint: "annotations.readOnlyHint",
  destructivehint: "annotations.destructiveHint",
}

const KNOWN: readonly string[] = [
  ...["description", "title", "annotations", "enabled", "timeout", "concurrency", "maxResultBytes"],
  ...["schema", "parameters", "parse", "output", "execute", "name"],
]

/** For a notice to developers: properties that were likely meant as others. What is merely unknown may be the application's own. `false` for nothing to say. */
export function misspeltOptions(name: string, tool: unknown): string | false {
  const said = Object.keys(tool ?? {}).flatMap((key) => {
    if (KNOWN.includes(key)) return []
    const meant = similarName(key, KNOWN) ?? MEANT[key.toLowerCase()]
    return meant ? [`"${key}" is ignored, use "${meant}"`] : []
  })
  return said.length > 0 && `the tool "${name}": ${said.join("; ")}.`
}
