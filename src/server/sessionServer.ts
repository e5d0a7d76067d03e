import { callSafely } from "../lib/callSafely.ts"
import { systemClock } from "../lib/clock.ts"
import { createDeferred } from "../lib/deferred.ts"
import type { CallProgress } from "../tool/toolCall.ts"
import { createApiKeys } from "./apiKeys.ts"
import { createAgentRoutes, outcomeOf } from "./agentRoutes.ts"
import type { AgentServer } from "./agentToolSource.ts"
import { createAnswers } from "./answers.ts"
import { createCallWaiter } from "./callWaiter.ts"
import { createCors } from "./cors.ts"
import { withDirectAnswer } from "./directAnswer.ts"
import { drain } from "./drain.ts"
import { createEndpointRoutes } from "./endpointRoutes.ts"
import { createEventStreams } from "./eventStreams.ts"
import { createHostCheck } from "./hosts.ts"
import { jsonCopy } from "./jsonCopy.ts"
import { createMemoryStore } from "./memoryStore.ts"
import type { ModelTool } from "./modelTools.ts"
import { createPageRoutes } from "./pageRoutes.ts"
import { printable } from "./printable.ts"
import { createRateLimiter } from "./rateLimits.ts"
import { createRequestBodies } from "./requestBodies.ts"
import { rememberTokens } from "./rememberedTokens.ts"
import { createTell } from "./serverEvents.ts"
import { DEFAULT_TOKEN_TTL_SECONDS, DRAIN_GRACE_MS, LAST_ANSWERS_MS } from "./serverLimits.ts"
import { checkSessionServerOptions, consoleLogger, readKeys, readLimits, safeLogger, type SessionServerOptions } from "./sessionServerOptions.ts"
import { createSessionService } from "./sessionService.ts"
import { createSessionWaiter, serverClosed } from "./sessionWaiter.ts"
import { createTokenIssuer, type IssuedToken, type NewSession, type NewSessionOptions } from "./tokenIssuer.ts"
import { createSessionTokens } from "./tokens.ts"
import { createToolLists } from "./toolLists.ts"
import { nowhere, requestOfWeb, responseOf } from "./webExchange.ts"

/** How a call ended. */
export interface CallOutcome {
  readonly call_id: string
  /** For the model: the tool's answer, or what went wrong. */
  readonly text: string
  readonly is_error: boolean
}

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

/**
 * Creates a session server, which keeps its sessions in memory where no `store` is given.
 *
 * @throws TypeError for an empty `apiKey` or `secret`, which would let everybody in, and for any other option that cannot be meant
 * @example
 * const server = createSessionServer({ apiKey: process.env.API_KEY, secret: process.env.SESSION_SECRET })
 * const { url } = await serve(server, { port: 8787 })
 */
export function createSessionServer(options: SessionServerOptions = {}): SessionServer {
  checkSessionServerOptions(options)
  const { allowedOrigins = [], basePath = "", clock = systemClock, store: storage = { open: createMemoryStore } } = options
  const logger = safeLogger(options.logger ?? consoleLogger)
  const { apiKeys, secrets } = readKeys(options, logger)
  const limits = readLimits(options.limits)
  const now = (): number => clock.now()
  const report = (error: unknown): void => logger.error("The session server failed.", error)
  const tell = createTell(options.observers ?? [], now, report)
  const hosts = createHostCheck(options.allowedHosts ?? "*")
  const cors = createCors(allowedOrigins, (origin) =>
    logger.warn(`A page of ${printable(origin)} was refused. If it is yours, add it to allowedOrigins of createSessionServer.`),
  )
  const store = storage.open({ clock, maxLoggedEvents: limits.maxLoggedEvents, onError: (message, error) => logger.error(message, error) })
  const service = createSessionService({ store, limits, tell, isObserved: (options.observers ?? []).length > 0 })
  const streams = createEventStreams({ store, clock, limits, tell })
  const waiter = createSessionWaiter({ store, clock })
  const calls = createCallWaiter(waiter)
  const lists = createToolLists({ store, waiter, report })
  // The store's time, which all processes have: one that is ahead must not mint tokens that outlive a revocation.
  const tokens = rememberTokens(createSessionTokens({ secrets, now: store.now }), store.now)
  const issuer = createTokenIssuer({ service, tokens, ttlSeconds: options.tokenTtlSeconds ?? DEFAULT_TOKEN_TTL_SECONDS, now: store.now })
  const bodies = createRequestBodies(limits)
  const rate = createRateLimiter(limits.maxRequestsPerMinute, "send requests of its pages to this server")
  const authorization = { apiKeys: createApiKeys(apiKeys), authorize: options.authorize, clock, tokens }
  let status: SessionServer["status"] = "open"
  const refuseNew = (): void => {
    if (status !== "open") throw serverClosed()
  }
  const unless =
    (...refusing: readonly SessionServer["status"][]) =>
    <Arguments extends readonly unknown[], Result>(method: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      if (refusing.includes(status)) throw serverClosed()
      return method(...args)
    }
  const whileOpen = unless("draining", "closed")
  const untilClosed = unless("closed")
  const agent: AgentServer = {
    tools: untilClosed(service.tools),
    watchTools: (sessionId, listener) => (status === "closed" ? () => {} : lists.watch(sessionId, listener)),
    callTool: whileOpen(async (sessionId, name, args, { signal, onProgress, onCallId } = {}) => {
      signal?.throwIfAborted()
      const copy = jsonCopy(args, limits)
      const callId = await service.call(sessionId, { tool: name, arguments: copy, idempotency: null }, { who: "in_process", traceparent: null })
      if (onCallId) callSafely(onCallId, callId, report)
      const cancel = (): void => void service.cancel(sessionId, callId).catch(report)
      if (signal?.aborted) cancel()
      signal?.addEventListener("abort", cancel)
      try {
        const call = await calls.wait(sessionId, callId, {
          isKnown: true,
          onProgress:
            onProgress &&
            (({ number: _, ...progress }) => {
              callSafely(onProgress, progress, report)
              return false
            }),
        })
        if (!call) throw new Error("A wait without a limit ended without a settled call.")
        return outcomeOf(call)
      } finally {
        signal?.removeEventListener("abort", cancel)
      }
    }),
  }
  const endpoints = options.endpoints ?? {}
  const answers = createAnswers({
    hosts,
    cors,
    routes: {
      ...createEndpointRoutes({ endpoints, authorization, allowedHosts: options.allowedHosts ?? "*", server: agent }),
      ...createAgentRoutes({ authorization, service, issuer, waiter: calls, lists, bodies, limits, refuseNew }),
      ...createPageRoutes({ service, streams, tokens, bodies, limits, rate, now, refuseNew }),
    },
    basePath,
    webOnly: Object.keys(endpoints),
    now,
    refuseClosed() {
      if (status === "closed") throw serverClosed()
    },
    tell,
    report,
  })
  store.onDue((sessionId) => void service.sweep(sessionId).catch(report))

  /** A settled call is not yet told to whoever made it over another protocol. */
  async function lastAnswers(): Promise<void> {
    const late = createDeferred<void>()
    const timer = clock.setTimeout(() => late.resolve(), LAST_ANSWERS_MS)
    await Promise.race([late.promise, Promise.allSettled(Object.values(endpoints).map(async (endpoint) => endpoint.drained?.()))])
    clock.clearTimeout(timer)
  }

  function close(): Promise<void> {
    if (status !== "closed") tell({ type: "server.closed" })
    status = "closed"
    streams.close()
    lists.close()
    waiter.close()
    store.close()
    return Promise.all(Object.values(endpoints).map((endpoint) => endpoint.close())).then(() => {}, report)
  }

  return Object.freeze<SessionServer>({
    get status() {
      return status
    },
    fetch: withDirectAnswer(async (request) => {
      const asked = requestOfWeb(request)
      if (!asked) return responseOf(nowhere, request)
      const reply = await answers.answerAny(asked)
      return reply instanceof Response ? reply : responseOf(reply, request)
    }, answers),
    createSession: whileOpen(issuer.createSession),
    createToken: untilClosed(issuer.createToken),
    ...agent,
    setRunning: untilClosed(service.setRunning),
    revokeSession: untilClosed(issuer.revokeSession),
    revokeToken: untilClosed(issuer.revokeToken),
    async drain({ graceMs = DRAIN_GRACE_MS } = {}) {
      if (status !== "open") return
      status = "draining"
      tell({ type: "server.draining", graceMs })
      await drain({ streams, calls, waiter, graceMs })
      await lastAnswers()
      await close()
    },
    readiness() {
      const reason = status === "open" ? store.trouble() : status
      return reason === undefined ? { status: "ready" } : { status: "unready", reason }
    },
    close,
  })
}
