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

function check(client: string, tool: string, isClient: boolean): void {
  const name = isClient ? client : tool
  const whole = modelToolName(String(client), String(tool))
  const length = whole.length + NAME_SUFFIX_RESERVE
  const isRight = typeof name === "string" && (isClient ? /^(?!.*(__|_$))[\w-]+$/ : /^[\w-]+$/).test(name)
  if (isRight && length <= MODEL_NAME_MAX_LENGTH) return
  const problem = isRight
    ? `${whole} has ${length} characters with ${NAME_SUFFIX_RESERVE} kept for the server, models take ${MODEL_NAME_MAX_LENGTH}: shorten "${name}" to ${MODEL_NAME_MAX_LENGTH - length + name.length}`
    : `a name is made of A-Z a-z 0-9 _ -${isClient ? ', has no "__" and no "_" at its end' : ""}`
  throw new ToolDefinitionError(
    isRight ? "name_too_long" : "invalid_name",
    isClient ? "" : String(tool),
    isClient ? `tool client "${String(client)}": ${problem}` : problem,
  )
}

/**
 * Checks a tool client's name: the characters `A-Z a-z 0-9 _ -`, no `__` and no `_` at its end (so that the model's name has one
 * reading only: the client ends at the first `__`), and short enough for a tool's name of one character.
 *
 * @throws ToolDefinitionError `invalid_name` or `name_too_long`, its `tool` empty
 */
export const checkClientName = (client: string): void => check(client, "x", true)

/**
 * Checks a tool's name: the characters `A-Z a-z 0-9 _ -`, and the whole `client__<client>__<tool>` at most
 * {@link MODEL_NAME_MAX_LENGTH} with {@link NAME_SUFFIX_RESERVE} kept for the server's suffix.
 *
 * @throws ToolDefinitionError `invalid_name` or `name_too_long`
 */
export const checkToolName = (client: string, tool: string): void => check(client, tool, false)
