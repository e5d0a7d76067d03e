/**
 * For a notice to developers: which options there are not, most likely misspelt ones. `false` where there is nothing to say.
 *
 * @param what - Whose options: `createSessionClient`.
 */
export function unknownOptions(what: string, given: unknown, known: readonly string[]): string | false {
  const unknown = Object.keys(given ?? {}).filter((name) => !known.includes(name))
  return unknown.length > 0 && `${what} has no option ${unknown.map((name) => JSON.stringify(name)).join(", ")}; it has ${known.join(", ")}.`
}
