import type { ErrorHandler } from "../lib/callSafely.ts"
import type { AnyTool, ToolDeclare } from "../tool/tool.ts"
import type { Lifetime } from "../wire/messages.ts"
import type { ToolSource } from "./declaration.ts"
import type { LocalTools } from "./localTools.ts"
import type { ToolClientState } from "./toolClientState.ts"

export interface ToolClientOptions {
  /**
   * How long the server keeps the client without a sign of life. Use `{ type: "never" }` only in processes that always delete it.
   * @default { type: "ttl", data: { seconds: 60 } }, pinged at half of it
   */
  readonly lifetime?: Lifetime | undefined
  /**
   * Receives background errors: failed pings, acks, answers, deletions and updates, a registration that is retried, a refused definition. A refused
   * registration is reported only by `ready` and `state.error`; it is retried when the set of tools changes.
   * @default the session's handler, else `console.error`
   */
  readonly onError?: ErrorHandler | undefined
}

/** For bindings: what one of several owners of a shared client says. */
export interface ShareOptions extends ToolClientOptions {
  /** Whether `onError` is its own right now, rather than what it falls back to: an owner's own goes first. @default whether there is one */
  readonly hasOwnHandler?: (() => boolean) | undefined
}

/** What one process offers to one session. */
export interface ToolClient {
  /** The name it was created with. `state.name` is the name that the server gave it. */
  readonly name: string
  /** For bindings: the session's own client, where this one only stands for it. */
  readonly actual?: ToolClient | undefined
  /** An immutable snapshot, replaced at each transition. */
  readonly state: ToolClientState
  /**
   * Resolves when the server accepts the registration. Rejects if the server refuses it or the client leaves first. It never causes an unhandled
   * rejection.
   */
  readonly ready: Promise<void>
  /** Calls `listener` after each transition; returns its unsubscribe. */
  subscribe(listener: (state: ToolClientState) => void): () => void
  /**
   * Adds a tool, or replaces the one that `addTool` added under that name. All changes of one tick are one update. An unchanged definition only replaces
   * the handler. Does nothing after the client has left.
   *
   * @throws ToolDefinitionError at once; the set stays as it was. What checks comes with the session client: a client of `useToolClient` that has no
   * session yet takes any definition, and tells `onError` of what is wrong with it when it has one.
   */
  readonly addTool: ToolDeclare<[name: string], void>
  /** Removes a tool that `addTool` added. Running calls are still answered. */
  removeTool(name: string): void
  /**
   * For bindings: offers whatever `source` holds at each moment, beside others of the same name, of which the one of the highest rank
   * serves. Never throws: a definition that is refused goes to `onError` and is left out. Returns its withdrawal.
   *
   * @param onError - Hears what is wrong with the definition; must not throw. `@default` the client's
   */
  declare(source: ToolSource, name: string, onError?: ErrorHandler): () => void
  /** For bindings: changes nothing. @throws ToolDefinitionError as `addTool` would. */
  check(name: string, tool: AnyTool): void
  /** For bindings: what declares the name `name` may hold another definition now. */
  touch(name: string): void
  /**
   * For bindings: what is declared, for callers within the page.
   *
   * @internal
   */
  readonly local: LocalTools
}
