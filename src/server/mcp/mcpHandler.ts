import { callSafely, type ErrorHandler, reportToConsole } from "../../lib/callSafely.ts"
import { aClock, aFunction, anyOrListed, aText, aWholeNumber, checkOptions } from "../../lib/checkOptions.ts"
import { type Clock, systemClock } from "../../lib/clock.ts"
import { createApiKeys } from "../apiKeys.ts"
import { bearerOf } from "../authorization.ts"
import { type AllowedOrigins, createCors } from "../cors.ts"
import { type AgentToolSource, checkSource } from "../agentToolSource.ts"
import { type AllowedHosts, createHostCheck, LOOPBACK_HOSTS } from "../hosts.ts"
import { DEFAULT_SERVER_LIMITS } from "../serverLimits.ts"
import { SessionServerError } from "../sessionServerError.ts"
import { type McpServerOptions, mcpServerRules, ToolServer } from "./mcpServer.ts"
import { createMcpSessions } from "./mcpSessions.ts"

export interface McpHandlerOptions extends McpServerOptions {
  /** What a client must send as `Authorization: Bearer`. */
  readonly apiKey: string
  /** Names by which it may be addressed, without a port, or `"*"`. @default loopback's own names, against DNS rebinding */
  readonly allowedHosts?: AllowedHosts | undefined
  /** Origins whose pages may ask, or `"*"`; those of its own host may. @default none */
  readonly allowedOrigins?: AllowedOrigins | undefined
  /** Bytes of a request's body. @default 1_048_576 (1 MiB) */
  readonly maxBodyBytes?: number | undefined
  /** @default the machine's clock */
  readonly clock?: Clock | undefined
  /** Hears what made a request fail that is nobody's fault but this server's. @default `console.error` */
  readonly onError?: ErrorHandler | undefined
}

/** A web-standard handler for one path of yours. */
export interface McpHandler {
  /** Needs no `this`. Never rejects. */
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

/**
 * Serves any source over MCP, Streamable HTTP, where there is no session: a hub's remotes, providers' actions.
 *
 * @throws TypeError for a missing apiKey, and for an option that is wrong, such as a host or an origin that is none
 * @example
 * const mcp = mcpHandler(actionSource(await registry.toTools()), { apiKey: process.env.MCP_KEY })
 * await serve(mcp, { port: 8788 })
 */
export function mcpHandler(source: AgentToolSource, options: McpHandlerOptions): McpHandler {
  checkSource("mcpHandler", source)
  checkOptions<McpHandlerOptions>("mcpHandler", options, {
    ...mcpServerRules,
    apiKey: { what: "the key that clients must send; without one, anyone could call the tools", admits: aText.admits, isRequired: true, isSecret: true },
    allowedHosts: anyOrListed,
    allowedOrigins: anyOrListed,
    maxBodyBytes: aWholeNumber,
    clock: aClock,
    onError: aFunction,
  })
  const { apiKey, allowedHosts = LOOPBACK_HOSTS, allowedOrigins = [], maxBodyBytes = DEFAULT_SERVER_LIMITS.maxBodyBytes, clock = systemClock, onError = reportToConsole } = options
  const apiKeys = createApiKeys([apiKey])
  const hosts = createHostCheck(allowedHosts)
  const cors = createCors(allowedOrigins)
  const sessions = createMcpSessions({ clock, maxBodyBytes })

  async function answer(request: Request): Promise<Response> {
    hosts.check(request)
    cors.check(request)
    if (!(await apiKeys.areIn(request))) {
      // Where there is none at all, it says so.
      bearerOf(request, "API key")
      throw new SessionServerError(401, "invalid_token", "The API key is another.", { headers: { "www-authenticate": 'Bearer error="invalid_token"' } })
    }
    return sessions.handle(request, "api_key", () => new ToolServer(source, options))
  }

  return {
    async fetch(request) {
      try {
        return await answer(request)
      } catch (error) {
        if (!(error instanceof SessionServerError)) {
          callSafely(onError, error, reportToConsole)
          return Response.json({ error: { code: "internal_error", message: "The MCP handler failed; its log says why." } }, { status: 500 })
        }
        const { status, code, message, headers } = error
        return Response.json({ error: { code, message } }, { status, headers })
      }
    },
    close: () => sessions.close(),
  }
}
