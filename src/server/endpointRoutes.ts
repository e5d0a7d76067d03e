/** Endpoints of other protocols: an API key opens them as it does the agent's own requests. */
import type { AgentEndpoint } from "./agentEndpoint.ts"
import type { AgentServer } from "./agentToolSource.ts"
import { type AgentAuthorization, authorizeAgent } from "./authorization.ts"
import type { AllowedHosts } from "./hosts.ts"
import type { Routes } from "./routeTable.ts"

/** What can stand in a path beside the protocol's own. */
const ENDPOINT_NAME = /^(?!(?:events|tools|tool-calls|tool-clients|tokens)$)[a-z][a-z0-9-]*$/

export interface EndpointRoutesOptions {
  readonly endpoints: Readonly<Record<string, AgentEndpoint>>
  readonly authorization: AgentAuthorization
  readonly allowedHosts: AllowedHosts
  readonly server: AgentServer
}

/** @throws TypeError for a name that cannot stand in a path, or that the protocol has */
export function createEndpointRoutes({ endpoints, authorization, allowedHosts, server }: EndpointRoutesOptions): Routes {
  return Object.fromEntries(
    Object.entries(endpoints).flatMap(([name, endpoint]) => {
      if (!ENDPOINT_NAME.test(name)) throw new TypeError(`endpoints: "${name}" cannot stand behind /v1/sessions/{sid}/; use other small letters, digits and "-".`)
      const handle: Routes[keyof Routes] = async ({ request, parameter }) => {
        const sessionId = parameter("sid")
        const who = await authorizeAgent(request, { sessionId }, authorization)
        if (!request.web) throw new Error(`A request of the endpoint "${name}" came without a web-standard object.`)
        return endpoint.handle(request.web, { server, sessionId, who, allowedHosts })
      }
      return (["GET", "POST", "DELETE"] as const).map((method) => [`${method} /v1/sessions/:sid/${name}`, handle] as const)
    }),
  )
}
