import { pathText, shorten } from "./pathText.ts"
import { reasonOf } from "./reason.ts"

/** How many issues a text lists; the rest is counted. */
export const ISSUES_LISTED = 50

/** The longest message of one issue, in characters. */
const MESSAGE_MAX_LENGTH = 300

/** An issue as Standard Schema has it, and as the errors that libraries throw have it. */
export interface IssueLike {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
  /** Of unions: what each member did not like, in lists (zod) or one by one (arktype). */
  readonly errors?: readonly unknown[]
}

/** `Array.from`, since the path may be of an array class of its library's, whose `map` would make another of those. */
const whereOf = ({ path = [] }: IssueLike): string => pathText(Array.from(path, (step) => (typeof step === "object" ? step.key : step)))

const messageOf = ({ message, errors = [] }: IssueLike): string => {
  // Arktype's members are no lists, and its message says what they say.
  const members = errors.map((member) => (Array.isArray(member) ? member : []) as readonly IssueLike[]).filter((member) => member.length > 0)
  if (members.length === 0) return message
  return `${message} (${members.map((member) => member.map((issue) => `${whereOf(issue)} ${messageOf(issue)}`.trim()).join(", ")).join("; or ")})`
}

/**
 * Writes what is wrong with a value for the model that sent it: one line an issue, each under its path.
 *
 * @param issues - What a schema found, or what a thrown error carries.
 * @param root - What the value is called: "the arguments".
 */
export const issuesText = (issues: readonly IssueLike[], root: string): string =>
  issues
    .slice(0, ISSUES_LISTED)
    // One line each, so that no message can pass itself off as another line.
    .map((issue) => `${whereOf(issue) || root}: ${shorten(messageOf(issue).replace(/\s+/g, " "), MESSAGE_MAX_LENGTH)}`)
    .concat(issues.length > ISSUES_LISTED ? `and ${issues.length - ISSUES_LISTED} more` : [])
    .map((line) => `- ${line}`)
    .join("\n")

/** What a validation that threw found: the issues that its error carries (`ZodError`, `ValiError`), else its reason. */
export function issuesOf(thrown: unknown): readonly IssueLike[] {
  const { issues } = (thrown ?? {}) as { issues?: unknown }
  return Array.isArray(issues) && issues.length > 0 ? (issues as IssueLike[]) : [{ message: reasonOf(thrown) }]
}
