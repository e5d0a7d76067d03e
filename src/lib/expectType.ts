/** What an error says of a value that it does not want: short texts as they are, of anything else what it is. */
export const shown = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : value == null ? String(value) : `a value of the type ${typeof value}`

/**
 * For what code without types may have written.
 *
 * @param what - Which value of which function: `createSessionClient: baseUrl`.
 * @param type - What it must be: the last word is what `typeof` says.
 * @throws TypeError which says what must be there and what is
 */
export function expectType(what: string, value: unknown, type: string): void {
  if (value === null || !type.endsWith(typeof value)) throw new TypeError(`${what} must be ${type}, not ${shown(value)}`)
}

/** As {@link expectType}, where it may be left out. @throws TypeError */
export function expectOptional(what: string, value: unknown, type: string): void {
  if (value !== undefined) expectType(what, value, type)
}
