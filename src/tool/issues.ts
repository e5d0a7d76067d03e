import { pathText, shorten } from "./pathText.ts"
import { reasonOf } from "./reason.ts"

/** How many issues a text lists; the rest is counted. */
export const ISSUES_LISTED = 50

/** The longest message of one issue, in characters. */
const MESSAGE_MAX_LENGTH = 300

/** An issue as Standard Schema has it, and as the errors that libraries throw have it. */
interface IssueLike {
  readonly message?: unknown
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | null
  /** Of zod's unions: for each member what it did not like. */
  readonly errors?: readonly (readonly IssueLike[])[]
}

/** One line of text, so that a message cannot pass itself off as another line. */
const oneLine = (text: string): string => shorten(text.replace(/\s+/g, " ").trim(), MESSAGE_MAX_LENGTH)

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof segment === "object" ? segment.key : segment

function messageOf({ message, errors }: IssueLike): string {
  const text = String(message)
  if (!Array.isArray(errors) || errors.length === 0) return text
  const members = errors.map((member: readonly IssueLike[]) =>
    member.map((issue) => [pathText((issue.path ?? []).map(keyOf)), messageOf(issue)].filter(Boolean).join(" ")).join(", "),
  )
  return `${text} (either ${members.join("; or ")})`
}

/**
 * Writes what is wrong with a value for the model that sent it: one line an issue, each under its path.
 *
 * @param issues - What a schema found, or what a thrown error carries.
 * @param root - What the value is called: "the arguments".
 */
export function issuesText(issues: readonly IssueLike[], root: string): string {
  const lines = issues.slice(0, ISSUES_LISTED).map((issue) => {
    try {
      return `- ${pathText((issue.path ?? []).map(keyOf)) || root}: ${oneLine(messageOf(issue))}`
    } catch {
      return `- ${root}: refused`
    }
  })
  if (issues.length > ISSUES_LISTED) lines.push(`- and ${issues.length - ISSUES_LISTED} more`)
  return lines.join("\n")
}

/** Writes what a validation threw: its issues where it carries some (`ZodError`, `ValiError`), else its reason. */
export function thrownText(thrown: unknown, root: string): string {
  try {
    const { issues } = thrown as { issues?: unknown }
    if (Array.isArray(issues) && issues.length > 0) return issuesText(issues, root)
  } catch {
    // It carries no issues.
  }
  return `- ${root}: ${reasonOf(thrown)}`
}
