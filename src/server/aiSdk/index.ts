/** `react-tool-client/server/ai-sdk`: a session's tools for the `ai` package's loops. */
export { ToolError, type ToolErrorCode } from "../../action/toolError.ts"
export type { ModelTool } from "../modelTools.ts"
export type { AgentServer, SourceCallOptions, AgentToolSource } from "../agentToolSource.ts"
export type { ModelCall, OnModelCall } from "./modelToolSet.ts"
export { type LiveTools, liveTools, type LiveToolsOptions, sessionTools } from "./liveTools.ts"
