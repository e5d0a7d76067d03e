/** How tools and tool clients may be called, and what the model sees of their names. */

/** Models refuse longer tool names (the common limit of model providers), in characters. */
export const MODEL_NAME_MAX_LENGTH = 64

/** Characters kept free for the suffix by which the server keeps names apart, `_2` to `_999`. */
export const NAME_SUFFIX_RESERVE = 4

/** What the model sees of a page's tool: `client__<client>__<tool>`. */
export const modelToolName = (client: string, tool: string): string => `client__${client}__${tool}`
