import type { AgentServer } from "./agentToolSource.ts"
import type { AllowedHosts } from "./hosts.ts"

/** What an endpoint is told of a request, which has been let in already. */
export interface AgentEndpointContext {
  readonly server: AgentServer
  readonly sessionId: string
  /** Who asks: the API key's holder, or who `authorize` says. */
  readonly who: string
  /** The server's own `allowedHosts`. */
  readonly allowedHosts: AllowedHosts
}

/** Another protocol for agents at `/v1/sessions/{sid}/{name}`: whoever may call a session's tools may use it. */
export interface AgentEndpoint {
  /** Takes GET, POST and DELETE. Rejects with a SessionServerError for a refusal in this protocol's shape. */
  handle(request: Request, context: AgentEndpointContext): Promise<Response>
  /** Resolves once no request waits for its answer any more: the server waits for it, for a while, before it closes what has been drained. `@default` at once */
  readonly drained?: (() => Promise<void>) | undefined
  /** Ends what is open; called when the server closes. */
  close(): Promise<void>
}
