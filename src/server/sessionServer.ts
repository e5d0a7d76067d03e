import type { CallProgress } from "../tool/toolCall.ts"
import type { CallOutcome } from "./callWaiter.ts"
import type { ModelTool } from "./modelTools.ts"
import type { IssuedToken, NewSession, NewSessionOptions } from "./tokenIssuer.ts"

export interface CallToolOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: CallProgress) => void) | undefined
  readonly onCallId?: ((callId: string) => void) | undefined
}

/**
 * A session server: pages offer tools at it and agents call them. docs/PROTOCOL.md defines its HTTP interface.
 * All methods except `close` reject with a {@link SessionServerError}.
 */
export interface SessionServer {
  /** The web-standard handler; needs no `this`. Never rejects. */
  fetch(request: Request): Promise<Response>
  /**
   * Creates a session with a first token for its page.
   *
   * @param options.id - Your own id. For a revoked session it lets the pages in again. Rejects with `invalid_request` if it is invalid.
   */
  createSession(options?: NewSessionOptions): Promise<NewSession>
  /**
   * Signs another token for a session. Your back end returns it to the page's `getToken`; check first that the session belongs to this user.
   *
   * If the server does not know the id, it creates the session: it may have forgotten it in a restart without a store, or because the page slept until its
   * last token expired. The page then continues with the new token. So check ids against your own records; a misspelt id creates a new session that no agent
   * finds.
   *
   * Rejects with `session_revoked` after `revokeSession`, as long as one of the session's tokens would have been valid, and with `invalid_request` for an
   * invalid id.
   */
  createToken(sessionId: string): Promise<IssuedToken>
  /** Lists the tools that a model can call now. Rejects with `session_not_found`. */
  tools(sessionId: string): Promise<readonly ModelTool[]>
  /**
   * Calls the listener with the tools that a model can call, soon and after each change. A session that does not exist (yet) has none. Errors of the listener
   * go to the logger.
   *
   * @returns A function that stops it; `close()` does too.
   */
  watchTools(sessionId: string, listener: (tools: readonly ModelTool[]) => void): () => void
  /**
   * Calls a tool by the name that the model sees. Resolves when the call is settled, after five minutes at the latest: with the page's answer, or with
   * `is_error` and a text that says what happened.
   *
   * @param args - Any JSON value. `@default` {}
   * @param options.signal - Cancels the call: the page is told, and the call settles as cancelled unless its answer came first. If it is already aborted, no call
   * is made and the promise rejects with the signal's reason.
   * @param options.onProgress - Receives the progress that the page reports; of several reports at once only the last.
   * @param options.onCallId - Receives the call's id before the call is settled. Events, logs and the page's `state.calls` use the same id.
   * Rejects with `session_not_found`, `tool_not_found`, `too_many_calls`, `invalid_request` (arguments that are not JSON), `body_too_large` or `server_closed`.
   */
  callTool(sessionId: string, name: string, args?: unknown, options?: CallToolOptions): Promise<CallOutcome>
  /** Tells the session's pages whether the agent is working. Rejects with `session_not_found`. */
  setRunning(sessionId: string, isRunning: boolean): Promise<void>
  /**
   * Ends a session: revokes its tokens, ends its streams, removes its tool clients, and settles its pending calls with an error. `createToken` then refuses it
   * until `createSession({ id })` opens it again. The revocation is remembered as long as one of its tokens would have been valid. With sessions in memory a
   * restart forgets it: change the `secret` then.
   */
  revokeSession(sessionId: string): Promise<void>
  /** Revokes one token by its `token_id`: its streams end, and its page asks for another. Rejects with `session_not_found`. */
  revokeToken(sessionId: string, tokenId: string): Promise<void>
  /**
   * Stops without losing calls: answers new sessions, streams and calls with 503, waits until pending calls are settled, ends the streams of each
   * session that has none left, and closes. Keep listening until it resolves, since pages must be able to answer.
   *
   * @param options.graceMs - The longest wait, in milliseconds. With a shared store, calls continue on other processes. `@default` 25_000
   */
  drain(options?: { readonly graceMs?: number | undefined }): Promise<void>
  /** When `draining` or `closed`, a load balancer should send nothing new. */
  readonly status: "open" | "draining" | "closed"
  /** Whether it can take requests now, for a load balancer's probe. A shared store is checked every second, so calling this is cheap. */
  readiness(): Readiness
  /** Ends all streams and waits at once, and answers everything with 503 from now on. May be called twice. */
  close(): Promise<void>
}

/** Whether a session server can take requests, and if not, why. */
export type Readiness =
  | { readonly status: "ready" }
  | {
      readonly status: "unready"
      /** In words for an operator. */
      readonly reason: string
    }
