import { randomBytes } from "node:crypto"
import { type AgentRunInput, createHubServer, type HubServer, type ServerLogger } from "../../../src/server/index.ts"
import { type CallableTool, runInstruction } from "./runInstruction.ts"

const TOKEN_BYTES = 32

/** All who open the playground are one person. */
const USER = "developer"

const NATIVE_TOOLS: readonly CallableTool[] = [
  {
    name: "current_time",
    description: "The agent's own: what time it is where the agent runs.",
    execute: () => Promise.resolve({ text: new Date().toISOString(), is_error: false }),
  },
]

export interface PlaygroundHub extends Pick<HubServer, "attach" | "close"> {
  /** Lets a page in; another one at each start of the server. */
  readonly token: string
}

/** A hub of one user with one agent, `assistant`, that needs no model. */
export function createPlaygroundHub(logger: ServerLogger): PlaygroundHub {
  const token = randomBytes(TOKEN_BYTES).toString("base64url")
  const hub = createHubServer({
    authenticate: (given) => (given.token === token ? USER : null),
    agents: {
      assistant: {
        tools: NATIVE_TOOLS,
        run: ({ instruction, tools }: AgentRunInput, { signal }) => runInstruction(instruction, tools as readonly CallableTool[], signal),
      },
    },
    logger,
  })
  return { token, attach: hub.attach, close: hub.close }
}
