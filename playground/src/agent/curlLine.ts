import type { JsonValue } from "react-tool-client"

/** For a shell: nothing within single quotes means anything, except their end. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The same call for a terminal. It goes through the dev server's route that adds the API key, so the line holds none. */
export const curlLine = (agentUrl: string, tool: string, args: JsonValue): string =>
  `curl -s ${quoted(`${agentUrl}/tool-calls`)} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify({ tool, arguments: args }))}`
