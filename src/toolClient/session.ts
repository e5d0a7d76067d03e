import type { SessionError } from "../wire/sessionError.ts"
import type { ShareOptions, ToolClient, ToolClientOptions } from "./toolClient.ts"
import type { SharedToolClient, ToolClientRegistry } from "./toolClientRegistry.ts"

interface SessionBase {
  /** The session's id. */
  readonly id: string
}

/**
 * A session's state: a union on `status`. `isRunning` says whether the agent is working, which is known only while the stream is open.
 */
export type SessionState =
  | (SessionBase & { readonly status: "connecting"; readonly error: undefined; readonly isRunning: false })
  | (SessionBase & { readonly status: "open"; readonly error: undefined; readonly isRunning: boolean })
  /** `error` is why the stream ended or could not be opened; it is tried again by itself. */
  | (SessionBase & { readonly status: "reconnecting"; readonly error: SessionError | undefined; readonly isRunning: false })
  | (SessionBase & { readonly status: "failed"; readonly error: SessionError; readonly isRunning: false })
  | (SessionBase & { readonly status: "closed"; readonly error: undefined; readonly isRunning: false })

/** A place where an agent finds tools: an HTTP session, a hub or a test session. Tool clients and hooks work the same with all of them. */
export interface Session {
  /** An immutable snapshot, replaced at each transition. */
  readonly state: SessionState
  /** Calls `listener` after each transition; returns its unsubscribe. */
  subscribe(listener: (state: SessionState) => void): () => void
  /**
   * Creates a set of tools under `name`; the server adds a suffix to names in use. Registers as soon as the stream is open.
   * @throws ToolDefinitionError for an invalid name; RangeError for an invalid lifetime; Error if the session is closed.
   */
  createToolClient(name: string, options?: ToolClientOptions): ToolClient
  /**
   * Deletes the client and aborts its calls in flight; `client` may be a hook's. Rejects when the server refuses, and may then be asked
   * again; concurrent calls share one request. Rejects with a TypeError when the client is not one of this session's.
   */
  deleteToolClient(client: ToolClient): Promise<void>
  /** For bindings: one client for all who ask for `name`. The first one's `lifetime` holds; the first who has an `onError`, and has not released it, hears. */
  shareToolClient(name: string, options?: ShareOptions): SharedToolClient
  /**
   * For the live panel, which looks inside; not for applications, since it may change at any time. Missing where there is nothing to see.
   *
   * @internal
   */
  readonly registry?: ToolClientRegistry | undefined
  /** Reconnects at once, from `reconnecting` or `failed`. */
  retry(): void
  /** Deletes all tool clients, then closes the stream. Never rejects: failed deletions go to the client's `onError`. */
  close(): Promise<void>
}
