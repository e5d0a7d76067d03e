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
  readonly jsonSchema?: Record<string, unknown>
  readonly zodSchema?: { readonly _zod: { readonly def: { readonly type: string } } }
}

const mark = ({ message, errors, code }: LibraryContext): Record<string, unknown> => ({
  [MARK]: message ?? errors?.[0] ?? `a ${code} cannot be represented in JSON Schema`,
})

/** `libraryOptions` for every library at once: each ignores those of the others. */
export const markingOptions: Record<string, unknown> = {
  // zod
  unrepresentable: mark,
  // zod, versions that take no function above and leave such a type empty
  override: ({ zodSchema, jsonSchema }: Required<LibraryContext>) => {
    const code = zodSchema._zod.def.type
    if (/^(bigint|custom|date|function|map|nan|set|symbol|transform|undefined|void)$/.test(code) && Object.keys(jsonSchema).length === 0)
      Object.assign(jsonSchema, mark({ code }))
  },
  // valibot; a check that JSON Schema cannot say is not published, but still made
  errorMode: "ignore",
  overrideSchema: (context: LibraryContext) => context.errors && mark(context),
  // arktype
  fallback: { date: mark, domain: mark, proto: mark, symbolKey: mark, unit: mark },
}

/** What to do about a schema that cannot write itself as JSON Schema, by its library. */
export const REMEDIES: Readonly<Record<string, string>> = {
  zod: ', as by z.toJSONSchema(schema, { io: "input" }); zod/mini cannot, zod can',
  valibot: ", or wrap it with toStandardJsonSchema() of @valibot/to-json-schema",
}

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
