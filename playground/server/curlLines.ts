/** An agent's requests as lines for a terminal. */
export interface CurlOptions {
  /** Where the session server's `/v1` begins. */
  readonly origin: string
  readonly apiKey: string
  readonly sessionId: string
}

const headersOf = (apiKey: string): string => `-H 'Authorization: Bearer ${apiKey}'`

/** Lists the tools of a session. */
export const curlTools = ({ origin, apiKey, sessionId }: CurlOptions): string =>
  `curl -s ${origin}/v1/sessions/${sessionId}/tools ${headersOf(apiKey)}`

/** Calls a tool of a session and waits for its answer. */
export const curlCall = ({ origin, apiKey, sessionId }: CurlOptions, tool: string, args: unknown): string =>
  `curl -s ${origin}/v1/sessions/${sessionId}/tool-calls ${headersOf(apiKey)} -H 'Content-Type: application/json' -d '${JSON.stringify({ tool, arguments: args })}'`
