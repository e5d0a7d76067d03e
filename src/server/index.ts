/** `react-tool-client/server`: the session server and what it takes to run it. */
export type { AgentEndpoint, AgentEndpointContext } from "./agentEndpoint.ts"
export type { AgentServer, AgentToolSource, SourceCallOptions } from "./agentToolSource.ts"
export type { AllowedOrigins } from "./cors.ts"
export { connectSessionServer, type SessionServerConnection, type SessionServerConnectionOptions } from "./connectSessionServer.ts"
export { attachEventSockets, type EventSocketsOptions } from "./eventSockets.ts"
export type { Authenticate } from "./hubConnection.ts"
export { expandRemotes, type ExpandRemotesOptions, type RemoteTool } from "./hubExpandRemotes.ts"
export type { AgentRunContext, AgentRunInput, HubAgent, HubAgents, NativeTool } from "./hubPrompts.ts"
export { createHubServer, type HubServer, type HubServerOptions } from "./hubServer.ts"
export type { RemoteDirectory, WatchedRemotes } from "./hubUser.ts"
export type { ModelTool } from "./modelTools.ts"
export type { AgentTarget, AuthorizeAgent } from "./authorization.ts"
export type { AllowedHosts } from "./hosts.ts"
export type { ServerEvent, ServerEventName, ServerEvents, ServerObserver, StreamEnd } from "./serverEvents.ts"
export { DEFAULT_SERVER_LIMITS, type SessionServerLimits } from "./serverLimits.ts"
export type { ServerLogger, SessionServerOptions } from "./sessionServerOptions.ts"
export { createLogObserver, type LogLevel, type LogObserverOptions } from "./logObserver.ts"
export { createMetrics, type Metrics, METRICS_CONTENT_TYPE } from "./metrics.ts"
export { createTraceObserver, type OpenTelemetryApi, type TraceSpan } from "./traceObserver.ts"
export { createNodeHandler, type NodeHandler } from "./nodeHandler.ts"
export type { CallProgress } from "../tool/toolCall.ts"
export type { UpgradeSource } from "./upgrades.ts"
export { serve, type ServedSession, type ServeOptions } from "./serve.ts"
export {
  type CallOutcome,
  type CallToolOptions,
  createSessionServer,
  type Readiness,
  type SessionServer,
} from "./sessionServer.ts"
export { SessionServerError, type SessionServerErrorCode } from "./sessionServerError.ts"
export type { SessionStorage } from "./sessionStore.ts"
export type { IssuedToken, NewSession, NewSessionOptions } from "./tokenIssuer.ts"
export type { SettleReason } from "../wire/messages.ts"
