import { parseArgs } from "node:util"
import { optionalPackage } from "../action/optionalPackage.ts"
import { connectSessionServer } from "../server/connectSessionServer.ts"
import { isLoopback } from "../server/hosts.ts"
import { SessionServerError } from "../server/sessionServerError.ts"
import { reasonOf } from "../tool/reason.ts"
import { type Command, type Terminal, UsageError } from "./command.ts"
import { linesOf } from "./linesOf.ts"

/** Where the API key is looked for when no file is named. */
export const API_KEY_VARIABLE = "REACT_TOOL_CLIENT_API_KEY"

const options = {
  "url": { type: "string" },
  "session": { type: "string" },
  "api-key-file": { type: "string" },
} as const

function readOptions(args: readonly string[]): { url: URL; session: string; keyFile: string | undefined } {
  let values
  try {
    values = parseArgs({ args: [...args], options }).values
  } catch (cause) {
    throw new UsageError(reasonOf(cause))
  }
  const { url, session, "api-key-file": keyFile } = values
  if (url === undefined || !/^https?:/i.test(url) || !URL.canParse(url)) throw new UsageError("--url is needed: the session server's, like https://agents.example.com")
  if (!session) throw new UsageError("--session is needed: the session whose pages offer the tools")
  return { url: new URL(url), session, keyFile }
}

async function apiKeyOf(keyFile: string | undefined, cwd: string): Promise<string> {
  const [key = process.env[API_KEY_VARIABLE]] = await linesOf("api-key-file", keyFile, cwd)
  if (!key) throw new UsageError(`an API key is needed: in ${API_KEY_VARIABLE}, or in the file of --api-key-file`)
  return key
}

/** The client has gone when it closes our input. */
const inputEnded = (): Promise<void> =>
  new Promise((resolve) => {
    process.stdin.once("end", resolve)
    process.stdin.once("close", resolve)
  })

/** Standard output is the protocol's alone: whatever else there is to say goes to standard error. */
async function serveStdio(url: URL, apiKey: string, session: string, terminal: Terminal): Promise<void> {
  const [{ mcpServer }, { StdioServerTransport }] = await optionalPackage("@modelcontextprotocol/sdk", () =>
    Promise.all([import("../server/mcp/mcpServer.ts"), import("@modelcontextprotocol/sdk/server/stdio.js")]),
  )
  const server = connectSessionServer({ url: url.href, apiKey, onError: (error) => terminal.warn(`The tools cannot be read right now: ${reasonOf(error)}`) })
  try {
    await server.tools(session).catch((error: unknown) => {
      if (!(error instanceof SessionServerError) || error.code !== "session_not_found") throw error
      terminal.warn(`There is no session "${session}" yet: it has no tools until there is.`)
    })
    const mcp = mcpServer(server, session)
    const ended = inputEnded()
    await mcp.connect(new StdioServerTransport())
    await ended
    await mcp.close()
  } finally {
    server.close()
  }
}

/** Serves a session's tools to the MCP client that starts it, such as an editor or a desktop assistant. */
export const mcp: Command = {
  usage: "--url U --session S [--api-key-file F]",
  summary: `serves a session's tools to an MCP client over standard input and output; the API key is in ${API_KEY_VARIABLE} or in the file`,
  async run(args, terminal) {
    const { url, session, keyFile } = readOptions(args)
    const apiKey = await apiKeyOf(keyFile, terminal.cwd)
    if (url.protocol === "http:" && !isLoopback(url.hostname)) terminal.warn(`The API key goes to ${url.host} unencrypted: use https.`)
    await serveStdio(url, apiKey, session, terminal)
    return 0
  },
}
