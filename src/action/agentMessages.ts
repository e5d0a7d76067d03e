/**
 * The conversation of an agent and its model, by the shapes that the AI SDK (`ai` 6) gives them. Said here, and compared with the SDK's
 * own in the type tests, so that these types need no `ai` to be installed.
 */

/** A model of the AI SDK, such as `openai("...")`, or the id of one at its gateway. */
export type AgentModel =
  | string
  | {
      readonly specificationVersion: `v${number}`
      readonly provider: string
      readonly modelId: string
      doGenerate(options: never): PromiseLike<unknown>
      doStream(options: never): PromiseLike<unknown>
    }

/** What a tool came to, as the model reads it. */
export type AgentToolOutput =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | { readonly type: "json" | "error-json"; readonly value: unknown }
  | { readonly type: "content"; readonly value: readonly unknown[] }
  | { readonly type: "execution-denied"; readonly reason?: string | undefined }

/** A call that the model makes. */
export interface AgentToolCall {
  readonly type: "tool-call"
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  /** Run by the model's provider, not here. */
  readonly providerExecuted?: boolean | undefined
}

export interface AgentToolResult {
  readonly type: "tool-result"
  readonly toolCallId: string
  readonly toolName: string
  readonly output: AgentToolOutput
}

export type AgentPart =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | AgentToolCall
  | AgentToolResult
  /** Of these only the model's provider reads what they hold. */
  | { readonly type: "image" | "file" | "tool-approval-request" | "tool-approval-response" }

/** One message of the conversation. */
export type AgentMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user" | "assistant"; readonly content: string | readonly AgentPart[] }
  | { readonly role: "tool"; readonly content: readonly AgentPart[] }

/** What happens in a run, as it happens. */
export type AgentEvent =
  /** The next piece of what the model says. */
  | { readonly type: "text"; readonly text: string }
  /** A tool begins. */
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly toolName: string; readonly input: unknown }
  /** A tool has come to something; others of the same step may still run. */
  | { readonly type: "tool-result"; readonly toolCallId: string; readonly toolName: string; readonly output: AgentToolOutput }
  /** A tool waits for somebody. */
  | { readonly type: "interrupt"; readonly toolCallId: string; readonly toolName: string; readonly message: string; readonly data: unknown }
