import { issuesText, thrownText } from "./issues.ts"
import type { AnyTool } from "./tool.ts"

/** A value that passed, as its validation gave it; or the text that tells the model why it did not. */
export type Validated = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly text: string }

/** Asks a Standard Schema. Whatever it throws becomes a line of the text as well. */
export async function validate(schema: NonNullable<AnyTool["schema"]>, value: unknown, root: string): Promise<Validated> {
  try {
    const result = await schema["~standard"].validate(value)
    return result.issues ? { ok: false, text: issuesText(result.issues, root) } : { ok: true, value: result.value }
  } catch (thrown) {
    return { ok: false, text: thrownText(thrown, root) }
  }
}

const ROOT = "the arguments"

/**
 * Makes of a call's arguments what `execute` takes: the schema's output, what `parse` returns, or the arguments as they are.
 * Never throws. The text of a refusal lists every issue under its path and asks the model to call again.
 *
 * @param tool - The definition.
 * @param args - The arguments as they were dispatched; they are not changed.
 */
export async function readArguments(tool: AnyTool, args: unknown): Promise<Validated> {
  let read: Validated
  if (tool.schema) read = await validate(tool.schema, args, ROOT)
  else if (tool.parse) {
    try {
      read = { ok: true, value: await tool.parse(args) }
    } catch (thrown) {
      read = { ok: false, text: thrownText(thrown, ROOT) }
    }
  } else return { ok: true, value: args }
  return read.ok ? read : { ok: false, text: `The tool did not run, its arguments were refused:\n${read.text}\nCorrect them and call the tool again.` }
}
