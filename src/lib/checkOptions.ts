import { similarName } from "./similarName.ts"

/** What one option may be. */
export interface OptionRule {
  /** Completes "must be": what it is, and how it is written. */
  readonly what: string
  readonly admits: (value: unknown) => boolean
  /** @default false */
  readonly isRequired?: boolean
  /** Is not shown in an error. @default false */
  readonly isSecret?: boolean
}

const isFunction = (value: unknown): boolean => typeof value === "function"
const isText = (value: unknown): boolean => typeof value === "string" && value !== ""

/** Whether it has these methods, whatever it is made by. */
export const hasMethods = (value: unknown, ...names: readonly string[]): boolean =>
  ((typeof value === "object" && value !== null) || isFunction(value)) && names.every((name) => isFunction((value as Record<string, unknown>)[name]))

export const aFunction: OptionRule = { what: "a function", admits: isFunction }
export const aText: OptionRule = { what: "a non-empty string", admits: isText }
export const aWholeNumber: OptionRule = { what: "a whole number above 0", admits: (value) => Number.isInteger(value) && (value as number) > 0 }
export const aClock: OptionRule = { what: "a clock: { now, setTimeout, clearTimeout, random, hold }", admits: (value) => hasMethods(value, "now", "setTimeout", "clearTimeout", "random", "hold") }
export const aLogger: OptionRule = { what: "a logger: { debug, info, warn, error }, such as console", admits: (value) => hasMethods(value, "debug", "info", "warn", "error") }
export const anyOrListed: OptionRule = { what: '"*" or a list of strings', admits: (value) => value === "*" || (Array.isArray(value) && value.every((entry) => typeof entry === "string")) }

/** How much of a wrong value an error shows, in characters. */
const SHOWN_LENGTH = 80

function shown(value: unknown): string {
  if (typeof value === "function") return "a function"
  try {
    const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value))
    return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
  } catch {
    return `a value of the type ${typeof value}`
  }
}

/**
 * Looks at the options of a maker before anything is made of them. A name that there is not is refused too: a misspelt `authorize`
 * would let everybody in.
 *
 * @param maker - What is called: the error begins with it.
 * @throws TypeError which names the option, what it must be and what it is
 */
export function checkOptions<Options extends object>(maker: string, given: unknown, rules: { readonly [Name in keyof Options]-?: OptionRule }): void {
  if (given !== undefined && (typeof given !== "object" || given === null || Array.isArray(given))) {
    // Likely the one option that there is to give, such as an API key.
    const mayBeSecret = typeof given === "string" && Object.values<OptionRule>(rules).some(({ isSecret }) => isSecret)
    throw new TypeError(`${maker} needs its options as an object, not ${mayBeSecret ? "a string" : shown(given)}.`)
  }
  const options = (given ?? {}) as Readonly<Record<string, unknown>>
  const known: readonly [string, OptionRule][] = Object.entries(rules)
  const names = known.map(([name]) => name)
  for (const name of Object.keys(options)) {
    if (options[name] === undefined || names.includes(name)) continue
    const meant = similarName(name, names)
    throw new TypeError(`${maker}: there is no option "${name}". ${meant === undefined ? `Known: ${names.join(", ")}.` : `Did you mean "${meant}"?`}`)
  }
  for (const [name, { what, admits, isRequired = false, isSecret = false }] of known) {
    const value = options[name]
    if (value === undefined && isRequired) throw new TypeError(`${maker} needs ${name}: ${what}.`)
    if (value !== undefined && !admits(value)) throw new TypeError(`${maker}: ${name} must be ${what}${isSecret ? "" : `, not ${shown(value)}`}.`)
  }
}
