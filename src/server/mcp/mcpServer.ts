import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import {
  CallToolRequestSchema,
  InitializedNotificationSchema,
  ListToolsRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js"
import { aText, checkOptions, type OptionRule } from "../../lib/checkOptions.ts"
import { ToolError } from "../../action/toolError.ts"
import { reasonOf } from "../../tool/reason.ts"
import type { CallProgress } from "../../tool/toolCall.ts"
import { type AgentServer, type AgentToolSource, checkSource, offeredBy, sessionSource } from "../agentToolSource.ts"
import { errorResult, mcpResult, mcpTool } from "./mcpTool.ts"

export interface McpServerOptions {
  /** What the server calls itself. @default "react-tool-client" */
  readonly name?: string | undefined
  /** For people. @default none */
  readonly title?: string | undefined
  /** @default "1.0.0" */
  readonly version?: string | undefined
  /** What a model should know of the tools as a whole. @default none */
  readonly instructions?: string | undefined
}

export const mcpServerRules: { readonly [Name in keyof McpServerOptions]-?: OptionRule } = { name: aText, title: aText, version: aText, instructions: aText }

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** Serves one source to one client, for as long as they are connected. */
export class ToolServer extends Server {
  readonly #source: AgentToolSource
  #stopWatching = (): void => {}
  /** The client has not asked for the list since it changed. */
  #isStale = false

  constructor(source: AgentToolSource, { name = "react-tool-client", title, version = "1.0.0", instructions }: McpServerOptions) {
    super(
      { name, version, ...(title !== undefined && { title }) },
      {
        capabilities: { tools: { listChanged: true } },
        debouncedNotificationMethods: ["notifications/tools/list_changed"],
        ...(instructions !== undefined && { instructions }),
      },
    )
    this.#source = source
    this.setRequestHandler(ListToolsRequestSchema, async () => {
      this.#isStale = false
      return { tools: (await offeredBy(source)).map(mcpTool) }
    })
    this.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => this.#call(params.name, params.arguments ?? {}, extra))
    this.setNotificationHandler(InitializedNotificationSchema, () => {
      this.#watch()
      this.oninitialized?.()
    })
  }

  override async connect(transport: Transport): Promise<void> {
    const onclose = transport.onclose
    transport.onclose = () => {
      this.#stopWatching()
      onclose?.()
    }
    await super.connect(transport)
  }

  /** The client has begun to listen: what it was told before may have been lost. */
  listened(): void {
    if (this.#isStale) this.#sayChanged()
  }

  #sayChanged(): void {
    void this.sendToolListChanged().catch((error: unknown) => this.onerror?.(error as Error))
  }

  /** Says that the list has changed; what it is at first, the client asks for anyway. */
  #watch(): void {
    let isFirst = true
    this.#stopWatching()
    this.#stopWatching = this.#source.watchTools(() => {
      if (!isFirst) {
        this.#isStale = true
        this.#sayChanged()
      }
      isFirst = false
    })
  }

  /** What tells the client how far its call is, where it wants to know. */
  #progressOf({ _meta, sendNotification }: Extra): ((progress: CallProgress) => void) | undefined {
    const progressToken = _meta?.progressToken
    if (progressToken === undefined) return undefined
    let told = -Infinity
    return ({ done, total, message }) => {
      // It must grow (MCP 2025-06-18, "Progress").
      if (done <= told) return
      told = done
      const params = { progressToken, progress: done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
      sendNotification({ method: "notifications/progress", params }).catch((error: unknown) => this.onerror?.(error as Error))
    }
  }

  async #call(name: string, args: Readonly<Record<string, unknown>>, extra: Extra): Promise<ReturnType<typeof mcpResult>> {
    try {
      // Described before it runs: the call may be what takes it away.
      const tool = (await offeredBy(this.#source)).find((offered) => offered.name === name)
      return mcpResult(await this.#source.callTool(name, args, { signal: extra.signal, onProgress: this.#progressOf(extra) }), tool)
    } catch (error) {
      // The model is who can do something about it, and a client shows it a result, not a protocol's error.
      return errorResult(error instanceof ToolError ? error.message : reasonOf(error))
    }
  }
}

/**
 * A server of the MCP SDK that offers what the source does, for one client: connect it to any transport of the SDK. The list follows the
 * pages; a call is cancelled and reports progress as MCP has it, and holds `structuredContent` where the tool has an `output` schema. An
 * error is a result with `isError`, which a model reads.
 *
 * @throws TypeError for what is no server or source, no session's id, and for an option that is wrong
 * @example
 * await mcpServer(server, sessionId).connect(new StdioServerTransport())
 */
export function mcpServer(server: AgentServer, sessionId: string, options?: McpServerOptions): Server
export function mcpServer(source: AgentToolSource, options?: McpServerOptions): Server
export function mcpServer(from: AgentServer | AgentToolSource, second?: string | McpServerOptions, third: McpServerOptions = {}): Server {
  const [source, options] = typeof second === "string" ? [sessionSource(from as AgentServer, second), third] : [from as AgentToolSource, second]
  checkSource("mcpServer", source)
  checkOptions<McpServerOptions>("mcpServer", options, mcpServerRules)
  return new ToolServer(source, options ?? {})
}
