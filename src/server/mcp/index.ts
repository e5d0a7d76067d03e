/** `react-tool-client/server/mcp`: what a session, a hub's remotes and providers' actions offer, for any MCP client. */
export type { AgentEndpoint } from "../agentEndpoint.ts"
export { type AgentServer, type AgentToolSource, sessionSource, type SourceCallOptions } from "../agentToolSource.ts"
export type { ModelTool } from "../modelTools.ts"
export { actionSource, type ActionSourceOptions } from "./actionSource.ts"
export { mcpEndpoint, type McpEndpointOptions } from "./mcpEndpoint.ts"
export { type McpHandler, mcpHandler, type McpHandlerOptions } from "./mcpHandler.ts"
export { mcpServer, type McpServerOptions } from "./mcpServer.ts"
export { type RemoteHub, remoteSource } from "./remoteSource.ts"
