/**
 * Looks at a map that a user gave, before anything is done with it.
 *
 * @param what - Who needs it, and as what: `new Sandbox needs actions`.
 * @throws TypeError for what is no map, or holds what cannot be executed
 */
export function checkToolMap(what: string, map: unknown): void {
  if (typeof map !== "object" || map === null || Array.isArray(map)) {
    throw new TypeError(`${what}, a map of tools by their names, not ${map === null ? "null" : Array.isArray(map) ? "a list" : typeof map}.`)
  }
  if (typeof (map as { readonly then?: unknown }).then === "function") throw new TypeError(`${what}, a map of tools, not the promise of one: await it.`)
  for (const [name, tool] of Object.entries<unknown>(map as Readonly<Record<string, unknown>>)) {
    if (typeof (tool as { readonly execute?: unknown } | null | undefined)?.execute !== "function") {
      throw new TypeError(`${what}, a map of tools; "${name}" is not a tool: it has no function \`execute\`.`)
    }
  }
}
