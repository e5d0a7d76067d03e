import { ToolError } from "../action/toolError.ts"
import { hasMethods } from "../lib/checkOptions.ts"
import { reasonOf } from "../tool/reason.ts"
import type { CallProgress } from "../tool/toolCall.ts"
import type { ToolAnswer } from "../tool/toolSpec.ts"
import type { ModelTool } from "./modelTools.ts"
import type { SessionServer } from "./sessionServer.ts"
import { SessionServerError } from "./sessionServerError.ts"

export interface SourceCallOptions {
  /** Cancels the call when it aborts. @default none: it runs until it is answered */
  readonly signal?: AbortSignal | undefined
  /** Hears how far the call is, where the tool says so. @default nobody */
  readonly onProgress?: ((progress: CallProgress) => void) | undefined
  /** Hears by which id the source knows the call, as soon as it does, where calls have one: a session's have. @default nobody */
  readonly onCallId?: ((callId: string) => void) | undefined
}

/** Where an agent's tools come from: a session's pages, remotes of a hub, actions of providers. What the bridges to agents are given. */
export interface AgentToolSource {
  /** What is offered now. Rejects when that cannot be told. */
  tools(): Promise<readonly ModelTool[]>
  /**
   * Calls a tool by the name it is offered under. What the tool itself gets wrong is an answer with `is_error`; rejects with a ToolError
   * whose message a model may read: `not_found` where no such tool is offered, `aborted` after an abort, else `failed`.
   */
  callTool(name: string, args: unknown, options?: SourceCallOptions): Promise<ToolAnswer>
  /** Tells the listener the tools soon, and then each time that they change; returns what stops it. */
  watchTools(listener: (tools: readonly ModelTool[]) => void): () => void
}

/** What is offered now; as long as its page has not come back to a server that was restarted, a session offers nothing. */
export async function offeredBy(source: AgentToolSource): Promise<readonly ModelTool[]> {
  try {
    return await source.tools()
  } catch (error) {
    if (error instanceof SessionServerError && error.code === "session_not_found") return []
    throw error
  }
}

/** What an agent needs of a session server: one in this process, or one that `connectSessionServer` reaches over HTTP. */
export type AgentServer = Pick<SessionServer, "tools" | "callTool" | "watchTools">

/** @throws TypeError for what offers no tools */
export function checkSource(maker: string, source: unknown): void {
  if (hasMethods(source, "createSession")) throw new TypeError(`${maker} needs a session's id after the session server.`)
  if (hasMethods(source, "tools", "callTool", "watchTools")) return
  throw new TypeError(`${maker} needs a source of tools, such as remoteSource(hub) or actionSource(actions), or a session server and a session's id.`)
}

/** @throws TypeError for what is no server or no id of a session */
function checkSession(server: unknown, sessionId: unknown): void {
  if (!hasMethods(server, "tools", "callTool", "watchTools")) {
    throw new TypeError("The tools of a session need a session server: createSessionServer(…), or connectSessionServer({ url, apiKey }).")
  }
  if (typeof sessionId !== "string" || sessionId === "") throw new TypeError("The tools of a session need the session's id, a string, as `createSession` gives it.")
}

const toolsOf = (server: AgentServer, sessionId: string): AgentToolSource => ({
  tools: () => server.tools(sessionId),
  async callTool(name, args, options = {}) {
    const { signal } = options
    try {
      const { text, is_error } = await server.callTool(sessionId, name, args, options)
      return { text, is_error }
    } catch (cause) {
      if (signal?.aborted) throw new ToolError("aborted", "", "The call was cancelled before it reached a page.", { cause })
      const code = cause instanceof SessionServerError && cause.code === "tool_not_found" ? "not_found" : "failed"
      throw new ToolError(code, "", cause instanceof Error ? cause.message : reasonOf(cause), { cause })
    }
  },
  watchTools: (listener) => server.watchTools(sessionId, listener),
})

/**
 * The tools that a session's pages offer.
 *
 * @throws TypeError for what is no server or no id of a session
 */
export function sessionSource(server: AgentServer, sessionId: string): AgentToolSource {
  checkSession(server, sessionId)
  return toolsOf(server, sessionId)
}
