export interface ToolName {
  /** The tool client's name at the server. */
  readonly client: string
  readonly tool: string
}

/** Takes `client__<client>__<tool>` apart: the client's name has no `__`. */
export function parseToolName(name: string): ToolName {
  const match = /^client__(.+?)__(.+)$/.exec(name)
  return { client: match?.[1] ?? "", tool: match?.[2] ?? name }
}
