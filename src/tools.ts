/** `react-tool-client/tools`: tools that run in this process or across HTTP, and what consumes them. */
export {
  type ActionClient,
  type ActionClientOptions,
  createActionClient,
  type StaleTypes,
} from "./action/actionClient.ts"
export {
  type ActionHost,
  type ActionHostOptions,
  type Authorization,
  type Authorize,
  createActionHost,
} from "./action/actionHost.ts"
export { type ActionId, allocateActionNames, isActionName } from "./action/actionNames.ts"
export type {
  AgentEvent,
  AgentMessage,
  AgentModel,
  AgentPart,
  AgentToolCall,
  AgentToolOutput,
  AgentToolResult,
} from "./action/agentMessages.ts"
export { type AgentCallOptions, type AgentResult, AgentRun, type AgentRunOptions } from "./action/agentRun.ts"
export type { AnyApiSchema, ApiAction, ApiInput, ApiOutput, ApiTools, UntypedApi } from "./action/apiSchema.ts"
export type { ActionErrorBody, ActionRequest, ActionResponse } from "./action/envelope.ts"
export { fromPageTools, type FromPageToolsOptions } from "./action/fromPageTools.ts"
export type { ToolClientTools } from "./action/fromToolClient.ts"
export type { ClientHeaders } from "./action/hostRequests.ts"
export { createItemStore, type ItemStore, type ToolItem, type ToolItems } from "./action/items.ts"
export { type Manifest, type ManifestAction, type ManifestProvider, type ManifestType, readManifest } from "./action/manifest.ts"
export { manifestOf } from "./action/manifestOf.ts"
export {
  type Action,
  type ActionContext,
  defineAction,
  defineProvider,
  type Provider,
  type ProviderType,
} from "./action/provider.ts"
export { ProviderRegistry, type ProviderRegistryOptions, type RegisteredAction } from "./action/providerRegistry.ts"
export { Sandbox, type SandboxOptions } from "./action/sandbox/sandbox.ts"
export { CPU_GRACE_MS, SANDBOX_LIMITS, type SandboxLimits } from "./action/sandbox/sandboxLimits.ts"
export type { SandboxResult } from "./action/sandbox/sandboxResult.ts"
export type { NodeWorker, SandboxWorker, WebWorker } from "./action/sandbox/sandboxWorkerType.ts"
export { type DescribedSchema, MAX_SCHEMA_PARTS, schemaOfJson } from "./action/schemaOfJson.ts"
export {
  type AnthropicTool,
  type DescribedTool,
  type GeminiTool,
  type ModelProvider,
  type ModelToolDifference,
  type ModelToolDifferenceKind,
  type ModelToolFormats,
  type ModelTools,
  type ModelToolsOptions,
  type OpenAiChatTool,
  type OpenAiTool,
  toModelTools,
} from "./action/modelTools/modelTools.ts"
export { defineService, type ServiceKey, Services } from "./action/services.ts"
export { defineTool, type Logger, type Tool, type ToolContext, type ToolDefinition, type ToolResumption } from "./action/tool.ts"
export { ToolError, type ToolErrorCode, type ToolErrorOptions, type ToolIssue } from "./action/toolError.ts"
export { ToolInterrupt, type ToolInterruptOptions } from "./action/toolInterrupt.ts"
export { type PageInterrupt, toPageTools, type ToPageToolsOptions } from "./action/toPageTools.ts"
export { toTool } from "./action/toTool.ts"
export type { TranscriptEntry, TranscriptInterrupt } from "./action/transcript.ts"
export type { Clock } from "./lib/clock.ts"
export type { JsonSchema, JsonValue } from "./tool/toolSpec.ts"
