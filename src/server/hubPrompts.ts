import type { PromptBody } from "../hub/messages.ts"
import { RemoteError } from "../hub/remoteError.ts"
import { reasonOf } from "../tool/reason.ts"
import type { JsonValue } from "../tool/toolSpec.ts"
import { expandRemotes, type RemoteTool } from "./hubExpandRemotes.ts"
import type { RemoteDirectory } from "./hubUser.ts"
import type { ServerLogger } from "./sessionServerOptions.ts"

/** A tool of an agent's own; all that the hub reads is its name. */
export interface NativeTool {
  readonly name: string
}

/** What an agent is run with: the prompt's instruction and options, and the tools of this run. */
export interface AgentRunInput<Native extends NativeTool = NativeTool> {
  readonly instruction: string
  /** The agent's own and those of the remotes that the prompt named; or the input's own, where the options carried `tools`. */
  readonly tools: readonly (Native | RemoteTool)[]
  readonly [option: string]: unknown
}

export interface AgentRunContext {
  readonly userId: string
  /** Aborts when the session that prompted is closed. */
  readonly signal: AbortSignal
}

/** An agent that sessions may prompt. */
export interface HubAgent<Native extends NativeTool = NativeTool> {
  readonly tools?: readonly Native[] | undefined
  /** Resolves with a JSON value; what it throws becomes the prompt's error. */
  run(input: AgentRunInput<Native>, context: AgentRunContext): unknown
}

export type HubAgents = Readonly<Record<string, HubAgent>>

/** Runs one prompt. @throws RemoteError */
export async function runPrompt(
  agents: HubAgents,
  { agentId, instruction, options = {} }: PromptBody,
  context: AgentRunContext & { readonly remotes: RemoteDirectory; readonly logger: ServerLogger },
): Promise<JsonValue> {
  const { remotes, logger, userId, signal } = context
  const agent = Object.hasOwn(agents, agentId) ? agents[agentId] : undefined
  if (!agent) throw new RemoteError("failed", `no agent with the id '${agentId}'`)
  const tools = expandRemotes({ input: options, nativeTools: agent.tools ?? [], remotes, warn: (message) => logger.warn(message) })
  try {
    const result = await agent.run({ ...options, instruction, tools }, { userId, signal })
    // What is no JSON is found here, where it can still be told.
    const text = JSON.stringify(result ?? null) as string | undefined
    if (text === undefined) throw new TypeError(`it gave a ${typeof result}, which is no JSON`)
    return JSON.parse(text) as JsonValue
  } catch (cause) {
    logger.error(`The run of the agent '${agentId}' failed.`, cause)
    throw new RemoteError("failed", `the agent failed: ${reasonOf(cause)}`, { cause })
  }
}
