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
 * A session server: the place where pages offer tools and agents call them. What it says over HTTP is docs/PROTOCOL.md.
 * All methods but `close` reject with a {@link SessionServerError}.
 */
export interface SessionServer {
  /** The web-standard handler; needs no `this`. Never rejects. */
  fetch(request: Request): Promise<Response>
  /**
   * Creates a session with a first token for its page.
   *
   * @param options.id - A name of your own. Of a session that was revoked it lets its pages in again. Rejects with `invalid_request` for what is none.
   */
  createSession(options?: NewSessionOptions): Promise<NewSession>
  /**
   * Signs another token for a session: what a page's `getToken` asks your back end for, which has to look that the session is that person's.
   *
   * Any id is taken that is not known to be wrong. A session that this server does not know is created under its id, since it may have been forgotten:
   * by a restart without a store, or because its page slept until its last token had ended. Such a page goes on with the new token. So look your sessions up where
   * you keep them; a misspelt id gives a session of its own, whose page no agent finds.
   *
   * Rejects with `session_revoked` for one that `revokeSession` took back, as long as one of its tokens would have been good, and with `invalid_request` for an id
   * that is none.
   */
  createToken(sessionId: string): Promise<IssuedToken>
  /** The tools that a model may call now. Rejects with `session_not_found`. */
  tools(sessionId: string): Promise<readonly ModelTool[]>
  /**
   * Tells the listener, soon, which tools a model may call, and again each time that they change. A session that is not there (yet)
   * offers none. What the listener throws goes to the logger.
   *
   * @returns what stops it; `close()` does too
   */
  watchTools(sessionId: string, listener: (tools: readonly ModelTool[]) => void): () => void
  /**
   * Calls a tool by the name that the model sees, and resolves once the call is settled: by the page's answer, or with
   * `is_error` and a text that says what happened, after five minutes at the latest.
   *
   * @param args - Anything that JSON can say. `@default` {}
   * @param options.signal - Asks for cancellation: the page is told, and the call settles as cancelled unless its answer came first.
   * Already aborted, it makes no call and rejects with the signal's reason.
   * @param options.onProgress - Hears how far the call is, as its page reports it; of several reports at once only the last.
   * @param options.onCallId - Hears the call's id once it is made, before it is settled: events, logs and the page's `state.calls` name it by that.
   * Rejects with `session_not_found`, `tool_not_found`, `too_many_calls`, `invalid_request` (arguments that JSON cannot say), `body_too_large` or `server_closed`.
   */
  callTool(sessionId: string, name: string, args?: unknown, options?: CallToolOptions): Promise<CallOutcome>
  /** Tells the session's pages whether the agent is at work. Rejects with `session_not_found`. */
  setRunning(sessionId: string, isRunning: boolean): Promise<void>
  /**
   * Ends a session: its tokens are taken back, its streams end, its tool clients are gone, its pending calls are settled with an error, and `createToken` makes
   * none for it any more. `createSession({ id })` opens it again. It is remembered as long as one of its tokens would have been good; with sessions in memory, a
   * restart forgets it: then change the `secret`.
   */
  revokeSession(sessionId: string): Promise<void>
  /** Takes one token back, by its `token_id`: its stream ends, and its page asks for another. Rejects with `session_not_found`. */
  revokeToken(sessionId: string, tokenId: string): Promise<void>
  /**
   * Stops without losing anything: refuses new sessions, streams and calls at once (503, so that they go elsewhere), waits until the pending calls of
   * its sessions are settled, ending the streams of each session that has none left, and closes. Keep listening until it resolves: pages
   * must be able to answer.
   *
   * @param options.graceMs - No longer than this, in milliseconds; with a shared store, calls go on elsewhere. `@default` 25_000
   */
  drain(options?: { readonly graceMs?: number | undefined }): Promise<void>
  /** `draining` and `closed` are for a load balancer to send nothing new here. */
  readonly status: "open" | "draining" | "closed"
  /** Whether it can take requests now, for a load balancer's probe. What a shared store needs is looked at each second, so asking costs nothing. */
  readiness(): Readiness
  /** Ends streams and waits at once and answers everything from now on with 503. May be called twice. */
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
