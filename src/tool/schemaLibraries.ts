/**
 * What is known of single schema libraries beyond their standard face: the options by which each marks a type that JSON Schema
 * cannot say, where it would throw without a place or publish "anything" without a word. Everything else of this folder treats
 * all libraries alike.
 */

/** The key under which a mark stands in the converted schema; its value is the reason. */
export const MARK = "~unrepresentable"

interface LibraryContext {
  readonly code?: string
  readonly message?: string
  readonly errors?: readonly string[]
}

const mark = ({ message, errors, code }: LibraryContext): Record<string, unknown> => ({
  [MARK]: message ?? errors?.[0] ?? `${code} is not JSON`,
})

/** `libraryOptions` for all libraries at once: each ignores those of the others. */
export const markingOptions: Record<string, unknown> = {
  // valibot; a check that JSON Schema cannot say is not published, but still made
  errorMode: "ignore",
  overrideSchema: (context: LibraryContext) => context.errors && mark(context),
  // arktype
  fallback: { date: mark, domain: mark, proto: mark, unit: mark },
}

/**
 * For a second conversion of what the first refused, to see where it stands: zod throws unless told, and versions that
 * know no function here would not throw either.
 */
export const locatingOptions: Record<string, unknown> = { ...markingOptions, unrepresentable: mark }

/** From the path through a JSON Schema to the path of the value that it describes. */
export function valuePath(schemaPath: readonly (string | number)[]): (string | number)[] {
  const path: (string | number)[] = []
  for (let index = 0; index < schemaPath.length; index++) {
    const key = schemaPath[index]
    if (key === "properties" || key === "prefixItems") path.push(schemaPath[++index] ?? "")
    else if (key === "items") path.push("[]")
    else if (key === "additionalProperties") path.push("*")
  }
  return path
}
