export { type Clock, systemClock } from "./lib/clock.ts"
export type { ErrorHandler } from "./lib/callSafely.ts"
export type { GetToken } from "./session/authorizedRequests.ts"
export {
  createSessionClient,
  type OpenOptions,
  type SessionClient,
  type SessionClientOptions,
  type SharedSession,
} from "./session/sessionClient.ts"
export { parametersOf } from "./tool/parameters.ts"
export {
  type AnyOutput,
  type AnyTool,
  type InlineTools,
  pageTool,
  type ParseTool,
  type RawTool,
  type ResultOf,
  type SchemaTool,
  type ToolConcurrency,
  type ToolDeclare,
  type ToolFailure,
  type ToolOptions,
  type ToolOutput,
  type ToolResult,
  type ToolValue,
} from "./tool/tool.ts"
export type { ApprovedBy, DecidePerson, PersonAsked, ToolCall } from "./tool/toolCall.ts"
export { ToolDefinitionError, type ToolDefinitionErrorCode } from "./tool/toolDefinitionError.ts"
export type { JsonSchema, JsonValue, ToolAnnotations, ToolAnswer, ToolSpec } from "./tool/toolSpec.ts"
export { type CallApproval, type CallProgress, type CallRecord, SETTLED_CALLS_KEPT } from "./toolClient/calls.ts"
export type { ToolSource } from "./toolClient/declaration.ts"
export { DEFAULT_LIFETIME } from "./toolClient/lifetime.ts"
export type { Session, SessionState } from "./toolClient/session.ts"
export type { ToolClient, ToolClientOptions } from "./toolClient/toolClient.ts"
export type { SharedToolClient } from "./toolClient/toolClientRegistry.ts"
export type { ToolClientState } from "./toolClient/toolClientState.ts"
export { createToolSource } from "./toolClient/toolSource.ts"
export { RESULT_DEADLINE_MS } from "./wire/limits.ts"
export type { Lifetime } from "./wire/messages.ts"
export { SessionError, type SessionErrorCode } from "./wire/sessionError.ts"
