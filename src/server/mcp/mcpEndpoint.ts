import { aClock, aFunction, anyOrListed, aWholeNumber, checkOptions } from "../../lib/checkOptions.ts"
import { type Clock, systemClock } from "../../lib/clock.ts"
import type { AgentEndpoint } from "../agentEndpoint.ts"
import { type AgentServer, type AgentToolSource, sessionSource } from "../agentToolSource.ts"
import { type AllowedHosts, createHostCheck, LOOPBACK_HOSTS } from "../hosts.ts"
import { DEFAULT_SERVER_LIMITS } from "../serverLimits.ts"
import { type McpServerOptions, mcpServerRules, ToolServer } from "./mcpServer.ts"
import { createMcpSessions } from "./mcpSessions.ts"

export interface McpEndpointOptions extends McpServerOptions {
  /**
   * Names by which this endpoint may be addressed, without a port, or `"*"`: others are refused, so that no page elsewhere can make a name of
   * its own lead here (DNS rebinding).
   * @default the server's `allowedHosts`, and where that is `"*"` loopback's own names
   */
  readonly allowedHosts?: AllowedHosts | undefined
  /** What is served of a session, such as fewer tools. @default all its tools */
  readonly source?: ((server: AgentServer, sessionId: string) => AgentToolSource) | undefined
  /** Bytes of a request's body. @default 1_048_576 (1 MiB) */
  readonly maxBodyBytes?: number | undefined
  /** @default the machine's clock */
  readonly clock?: Clock | undefined
}

/**
 * Serves each session's tools over MCP, Streamable HTTP, at `/v1/sessions/{sid}/mcp`, to whoever has the server's API key. MCP sessions live
 * in this process: with several, a client must reach the same one again.
 *
 * @throws TypeError for an option that is wrong, such as a host that is none
 * @example
 * const server = createSessionServer({ apiKey, secret, endpoints: { mcp: mcpEndpoint() } })
 */
export function mcpEndpoint(options: McpEndpointOptions = {}): AgentEndpoint {
  checkOptions<McpEndpointOptions>("mcpEndpoint", options, {
    ...mcpServerRules,
    allowedHosts: anyOrListed,
    source: aFunction,
    maxBodyBytes: aWholeNumber,
    clock: aClock,
  })
  const { allowedHosts, source = sessionSource, maxBodyBytes = DEFAULT_SERVER_LIMITS.maxBodyBytes, clock = systemClock } = options
  const sessions = createMcpSessions({ clock, maxBodyBytes })
  const given = allowedHosts === undefined ? undefined : createHostCheck(allowedHosts)
  const loopback = createHostCheck(LOOPBACK_HOSTS)

  return {
    async handle(request, { server, sessionId, who, allowedHosts: ofServer }) {
      if (given) given.check(request)
      else if (ofServer === "*") loopback.check(request)
      // A client that begins learns at once that it has the wrong session; one that is there waits for it to come back.
      if (!request.headers.has("mcp-session-id")) await server.tools(sessionId)
      return sessions.handle(request, JSON.stringify([who, sessionId]), () => new ToolServer(source(server, sessionId), options))
    },
    drained: () => sessions.drained(),
    close: () => sessions.close(),
  }
}
