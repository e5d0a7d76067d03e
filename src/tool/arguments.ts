import type { StandardSchemaV1 } from "@standard-schema/spec"
import { issuesOf, issuesText } from "./issues.ts"
import type { AnyTool } from "./tool.ts"

/** A value that passed, as its validation gave it; or the text that tells the model why it did not. */
export type Validated = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly text: string }

/** Asks a Standard Schema, or `parse`, or nobody. The text has one line an issue. */
export async function validate(
  schema: StandardSchemaV1 | undefined,
  parse: AnyTool["parse"],
  value: unknown,
  root: string,
): Promise<Validated> {
  try {
    if (!schema) return { ok: true, value: parse ? await parse(value) : value }
    const result = await schema["~standard"].validate(value)
    return result.issues ? { ok: false, text: issuesText(result.issues, root) } : { ok: true, value: result.value }
  } catch (thrown) {
    return { ok: false, text: issuesText(issuesOf(thrown), root) }
  }
}

/**
 * Makes of a call's arguments what `execute` takes: the schema's output, what `parse` returns, or the arguments as they are.
 * The text of a refusal lists every issue under its path and asks the model to call again.
 *
 * @param tool - The definition.
 * @param name - The tool's name, for the text.
 * @param args - The arguments as they were dispatched; they are not changed.
 */
export async function readArguments(tool: AnyTool, name: string, args: unknown): Promise<Validated> {
  const read = await validate(tool.schema, tool.parse, args, "the arguments")
  if (read.ok) return read
  return { ok: false, text: `"${name}" did not run, its arguments were refused:\n${read.text}\nCorrect them and call the tool again.` }
}
