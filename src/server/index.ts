/** `react-tool-client/server`: the session server and what it takes to run it. */
export type { AllowedOrigins } from "./cors.ts"
export { connectSessionServer, type SessionServerConnection, type SessionServerConnectionOptions } from "./connectSessionServer.ts"
export { attachEventSockets } from "./eventSockets.ts"
export type { Authenticate } from "./hubConnection.ts"
export { expandRemotes, type ExpandRemotesOptions, type RemoteTool } from "./hubExpandRemotes.ts"
export type { AgentRunContext, AgentRunInput, HubAgent, HubAgents, NativeTool } from "./hubPrompts.ts"
export { createHubServer, type HubServer, type HubServerOptions } from "./hubServer.ts"
export type { RemoteDirectory } from "./hubUser.ts"
export type { ModelTool } from "./modelTools.ts"
export type { SessionServerLimits } from "./serverLimits.ts"
export { serve, type ServedSession, type ServeOptions } from "./serve.ts"
export {
  type CallOutcome,
  createSessionServer,
  type ServerLogger,
  type SessionServer,
  type SessionServerOptions,
} from "./sessionServer.ts"
export { SessionServerError, type SessionServerErrorCode } from "./sessionServerError.ts"
export type { SessionStorage } from "./sessionStore.ts"
export type { IssuedToken, NewSession } from "./tokenIssuer.ts"
