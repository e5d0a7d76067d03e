/** How tools and tool clients may be called, and what the model sees of their names. */

import { ToolDefinitionError } from "./toolDefinitionError.ts"

/** Models refuse longer tool names (the common limit of model providers), in characters. */
export const MODEL_NAME_MAX_LENGTH = 64

/** Characters kept free for the suffix by which the server keeps names apart, `_2` to `_999`. */
export const NAME_SUFFIX_RESERVE = 4

/** What the model sees of a page's tool: `client__<client>__<tool>`. */
export const modelToolName = (client: string, tool: string): string => `client__${client}__${tool}`

/** Whether a tool's whole name is short enough under the name that the server gave the client. */
export const nameFits = (registeredName: string, tool: string): boolean =>
  modelToolName(registeredName, tool).length <= MODEL_NAME_MAX_LENGTH

/** What is wrong with the length of a whole name, if anything is. */
function lengthProblem(client: string, tool: string): string | undefined {
  const name = modelToolName(client, tool)
  const excess = name.length + NAME_SUFFIX_RESERVE - MODEL_NAME_MAX_LENGTH
  if (excess <= 0) return undefined
  return `"${name}" has ${name.length} characters and ${NAME_SUFFIX_RESERVE} are kept for the server's suffix, but models accept ${MODEL_NAME_MAX_LENGTH}; shorten it by ${excess}`
}

const charset = (name: unknown): string | undefined =>
  typeof name === "string" && /^[\w-]+$/.test(name) ? undefined : "a name is one or more of A-Z a-z 0-9 _ -"

/**
 * Checks a tool client's name: the characters `A-Z a-z 0-9 _ -`, no `__` and no `_` at its end (so that the model's name has one
 * reading only: the client ends at the first `__`), and short enough for a tool's name of at least one character.
 *
 * @throws ToolDefinitionError `invalid_name` or `name_too_long`, its `tool` empty
 */
export function checkClientName(client: string): void {
  const of = `Tool client "${String(client)}"`
  const invalid = charset(client) ?? (/__|_$/.test(client) ? 'a client\'s name has no "__" and does not end in "_"' : undefined)
  if (invalid) throw new ToolDefinitionError("invalid_name", "", invalid, { of })
  const tooLong = lengthProblem(client, "x")
  if (tooLong) throw new ToolDefinitionError("name_too_long", "", `even for a tool "x", ${tooLong}`, { of })
}

/**
 * Checks a tool's name: the characters `A-Z a-z 0-9 _ -`, and the whole `client__<client>__<tool>` at most
 * {@link MODEL_NAME_MAX_LENGTH} with {@link NAME_SUFFIX_RESERVE} kept for the server's suffix.
 *
 * @throws ToolDefinitionError `invalid_name` or `name_too_long`
 */
export function checkToolName(client: string, tool: string): void {
  const invalid = charset(tool)
  if (invalid) throw new ToolDefinitionError("invalid_name", String(tool), invalid)
  const tooLong = lengthProblem(client, tool)
  if (tooLong) throw new ToolDefinitionError("name_too_long", tool, tooLong)
}
