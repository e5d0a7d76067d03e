/**
 * What is known of single schema libraries beyond their standard face: the options by which each refuses a type that JSON Schema
 * cannot say, and by which it tells where that type stands. Everything else of this folder treats all libraries alike.
 */

/** The mark that a conversion for diagnosis leaves where JSON Schema cannot say a type. */
const MARK = "~unrepresentable"

/** What arktype would publish as "anything" without a word. */
const ARKTYPE_LOSSES = ["date", "domain", "proto", "symbolKey", "unit"]

interface LibraryContext {
  readonly base?: object
  readonly jsonSchema?: Record<string, unknown>
  readonly errors?: readonly string[]
  readonly zodSchema?: { readonly _zod: { readonly def: { readonly type: string } } }
}

/** Options for every library at once (each ignores the others'), under which what cannot be said is refused. */
export const strictOptions = {
  // arktype
  fallback: Object.fromEntries(
    ARKTYPE_LOSSES.map((code) => [
      code,
      () => {
        throw new Error(`a ${code} type cannot be represented in JSON Schema`)
      },
    ]),
  ),
  // valibot: a check that JSON Schema cannot say is not published, but still made
  overrideAction: (context: LibraryContext) => context.errors && context.jsonSchema,
}

/** The same, but what cannot be said is marked, to find where it stands. `refusal` is what the strict conversion said. */
const markingOptions = (refusal: string): object => ({
  ...strictOptions,
  fallback: Object.fromEntries(ARKTYPE_LOSSES.map((code) => [code, (context: LibraryContext) => ({ ...context.base, [MARK]: 1 })])),
  // valibot
  errorMode: "ignore",
  overrideSchema: (context: LibraryContext) => context.errors && { [MARK]: 1 },
  // zod; versions that do not take a function here take it for "any" and are helped by `override`
  unrepresentable: () => ({ [MARK]: 1 }),
  override: ({ zodSchema, jsonSchema = {} }: LibraryContext) => {
    const type = zodSchema?._zod.def.type
    if (type && refusal.toLowerCase().startsWith(type) && Object.keys(jsonSchema).length === 0) jsonSchema[MARK] = 1
  },
})

/** Where the first mark stands, as a path of keys through the JSON Schema. */
function findMark(node: unknown, path: readonly string[]): readonly string[] | undefined {
  if (typeof node !== "object" || node === null) return undefined
  if (MARK in node) return path
  for (const [key, value] of Object.entries(node)) {
    const found = findMark(value, [...path, key])
    if (found) return found
  }
  return undefined
}

/** From the path through a JSON Schema to the path of the value that it describes. */
function valuePath(schemaPath: readonly string[]): (string | number)[] {
  const path: (string | number)[] = []
  for (let index = 0; index < schemaPath.length; index++) {
    const key = schemaPath[index]
    if (key === "properties") path.push(schemaPath[++index] as string)
    else if (key === "prefixItems") path.push(Number(schemaPath[++index]))
    else if (key === "items") path.push("[]")
    else if (key === "additionalProperties") path.push("*")
  }
  return path
}

/**
 * Finds the type that a strict conversion refused, by converting once more with marks.
 *
 * @param write - Converts with the given `libraryOptions`.
 * @param refusal - What the strict conversion said.
 * @returns The path of the value; empty where the library does not tell.
 */
export function locateUnrepresentable(write: (libraryOptions: Record<string, unknown>) => unknown, refusal: string): (string | number)[] {
  try {
    return valuePath(findMark(write(markingOptions(refusal)), []) ?? [])
  } catch {
    return []
  }
}
