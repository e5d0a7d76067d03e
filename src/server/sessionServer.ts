import { type Clock, systemClock } from "../lib/clock.ts"
import { createAgentRoutes, outcomeOf } from "./agentRoutes.ts"
import { createCallWaiter } from "./callWaiter.ts"
import { type AllowedOrigins, createCors } from "./cors.ts"
import { createEventStreams } from "./eventStreams.ts"
import { createMemoryStore } from "./memoryStore.ts"
import type { ModelTool } from "./modelTools.ts"
import { createPageRoutes } from "./pageRoutes.ts"
import { type BodyLimits, isDeeperThan } from "./readJsonBody.ts"
import { createRequestBodies } from "./requestBodies.ts"
import { createRouteTable } from "./routeTable.ts"
import { DEFAULT_SERVER_LIMITS, type SessionServerLimits } from "./serverLimits.ts"
import { SessionServerError } from "./sessionServerError.ts"
import { createSessionService } from "./sessionService.ts"
import { createSessionWaiter, serverClosed } from "./sessionWaiter.ts"
import { createTokenIssuer, type IssuedToken, type NewSession } from "./tokenIssuer.ts"
import type { SessionStorage } from "./sessionStore.ts"
import { createSessionTokens } from "./tokens.ts"
import { createToolLists } from "./toolLists.ts"

/** Where the server says what an operator should know. `console` is one. */
export interface ServerLogger {
  warn(message: string): void
  error(message: string, error: unknown): void
}

export interface SessionServerOptions extends Partial<SessionServerLimits> {
  /**
   * What agents and your own back end send as `Authorization: Bearer`. Keep it out of pages.
   * @default none: agent-side requests over HTTP are answered 403, the in-process methods work
   */
  readonly apiKey?: string
  /**
   * Signs the session tokens. Servers with the same secret know each other's sessions, and a restarted one its own.
   * Use at least 32 random characters; `logger.warn` says so of a shorter one.
   * @default random for each server, so that a restart ends all sessions; said once by `logger.warn`
   */
  readonly secret?: string
  /**
   * Origins whose pages may use the server from a browser, exactly as browsers write them (`https://app.example`), or `"*"`.
   * Pages of the server's own origin always may.
   * @default none
   */
  readonly allowedOrigins?: AllowedOrigins
  /**
   * Where sessions live. With `redisStore()` of `react-tool-client/server/redis` any number of processes serve the same sessions; give all
   * of them the same `secret`.
   * @default this process's memory
   */
  readonly store?: SessionStorage
  /** What stands before `/v1` in the path where the handler is mounted, such as `/api`. @default "" */
  readonly basePath?: string
  /** @default the machine's clock */
  readonly clock?: Clock
  /** @default console */
  readonly logger?: ServerLogger
}

/** How a call ended. */
export interface CallOutcome {
  readonly call_id: string
  /** For the model: the tool's answer, or what went wrong. */
  readonly text: string
  readonly is_error: boolean
}

/**
 * A session server: the place where pages offer tools and agents call them. What it says over HTTP is docs/PROTOCOL.md.
 * All methods but `close` reject with a {@link SessionServerError}.
 */
export interface SessionServer {
  /** The web-standard handler; needs no `this`. Never rejects. */
  fetch(request: Request): Promise<Response>
  /** Creates a session with a first token for its page. */
  createSession(): Promise<NewSession>
  /** Signs a token for a session, and creates the session if there is none of this id. */
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
   * Rejects with `session_not_found`, `tool_not_found`, `too_many_calls`, `invalid_request` (arguments that JSON cannot say), `body_too_large` or `server_closed`.
   */
  callTool(sessionId: string, name: string, args?: unknown, options?: { readonly signal?: AbortSignal }): Promise<CallOutcome>
  /** Tells the session's pages whether the agent is at work. Rejects with `session_not_found`. */
  setRunning(sessionId: string, isRunning: boolean): Promise<void>
  /** Ends streams and waits at once and answers everything from now on with 503. May be called twice. */
  close(): Promise<void>
}

/** As long as the hash that it keys (RFC 7518 §3.2). */
const SECRET_MIN_LENGTH = 32

const consoleLogger: ServerLogger = {
  warn: (message) => console.warn(message),
  error: (message, error) => console.error(message, error),
}

/** Outside of `basePath` there is nothing, which the empty path says. */
const pathBelow = (basePath: string, path: string): string => (path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : "")

/** A copy that nobody can change later, and proof that JSON can say it. */
function jsonCopy(args: unknown, limits: BodyLimits): unknown {
  let text: string | undefined
  try {
    text = JSON.stringify(args ?? {})
  } catch (cause) {
    throw new SessionServerError(400, "invalid_request", `The arguments cannot be written as JSON: ${String(cause)}`, { cause })
  }
  // As over HTTP: what no page's stream takes would come back with each resumption.
  if (text !== undefined && text.length > limits.maxBodyBytes) {
    throw new SessionServerError(413, "body_too_large", `The arguments are longer than ${limits.maxBodyBytes} bytes of JSON. Send less.`)
  }
  const copy: unknown = JSON.parse(text ?? "{}")
  if (isDeeperThan(copy, limits.maxJsonDepth)) {
    throw new SessionServerError(400, "invalid_request", `The arguments nest deeper than ${limits.maxJsonDepth} levels.`)
  }
  return copy
}

/**
 * Creates a session server, which keeps its sessions in memory where no `store` is given.
 *
 * @throws TypeError for an empty `apiKey` or `secret`, which would let everybody in
 * @example
 * const server = createSessionServer({ apiKey: process.env.API_KEY, secret: process.env.SESSION_SECRET })
 * const { url } = await serve(server, { port: 8787 })
 */
export function createSessionServer(options: SessionServerOptions = {}): SessionServer {
  const { apiKey, secret, allowedOrigins = [], basePath = "", clock = systemClock, logger = consoleLogger, ...more } = options
  const { store: storage = { open: createMemoryStore }, ...given } = more
  if (apiKey === "" || secret === "") throw new TypeError("createSessionServer: apiKey and secret must not be empty strings.")
  const limits: SessionServerLimits = { ...DEFAULT_SERVER_LIMITS, ...given }
  const store = storage.open({ clock, maxLoggedEvents: limits.maxLoggedEvents, onError: (message, error) => logger.error(message, error) })
  const service = createSessionService({ store, limits })
  const streams = createEventStreams({ store, clock, limits })
  const waiter = createSessionWaiter({ store, clock })
  const calls = createCallWaiter(waiter)
  const report = (error: unknown): void => logger.error("The session server failed.", error)
  const lists = createToolLists({ store, waiter, report })
  const tokens = createSessionTokens({ secret, ttlSeconds: limits.tokenTtlSeconds, now: () => clock.now() })
  const issuer = createTokenIssuer({ service, tokens })
  const cors = createCors(allowedOrigins, (origin) =>
    logger.warn(`A page of ${JSON.stringify(origin)} was refused. If it is yours, add it to allowedOrigins of createSessionServer.`),
  )
  const bodies = createRequestBodies(limits)
  const route = createRouteTable({
    ...createAgentRoutes({ apiKey, service, waiter: calls, lists, tokens, bodies, limits, ...issuer }),
    ...createPageRoutes({ service, streams, tokens, bodies, limits }),
  })
  let isClosed = false
  if (secret === undefined) {
    logger.warn("The session server signs its tokens with a random secret: a restart ends all sessions. Set `secret` to keep them.")
  } else if (secret.length < SECRET_MIN_LENGTH) {
    logger.warn(`The session server's secret has ${secret.length} characters: with a token in hand it can be guessed. Use at least ${SECRET_MIN_LENGTH} random ones.`)
  }
  store.onDue((sessionId) => void service.sweep(sessionId).catch(report))

  function refuse(error: unknown): Response {
    if (!(error instanceof SessionServerError)) report(error)
    const { status, code, message, headers } =
      error instanceof SessionServerError
        ? error
        : new SessionServerError(500, "internal_error", "The session server failed; its log says why. Try again.")
    return Response.json({ error: { code, message } }, { status, headers })
  }

  async function respond(request: Request): Promise<Response> {
    try {
      cors.check(request)
      const preflight = cors.preflight(request)
      if (preflight) return preflight
      if (isClosed) throw serverClosed()
      const url = new URL(request.url)
      return await route(request, url, pathBelow(basePath, url.pathname))
    } catch (error) {
      return refuse(error)
    }
  }

  const whileOpen = <Arguments extends readonly unknown[], Result>(method: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      if (isClosed) throw serverClosed()
      return method(...args)
    }

  return Object.freeze<SessionServer>({
    async fetch(request) {
      const response = await respond(request)
      for (const [name, value] of Object.entries(cors.headersFor(request))) response.headers.set(name, value)
      return response
    },
    createSession: whileOpen(issuer.createSession),
    createToken: whileOpen(issuer.createToken),
    tools: whileOpen(service.tools),
    watchTools: (sessionId, listener) => (isClosed ? () => {} : lists.watch(sessionId, listener)),
    callTool: whileOpen(async (sessionId, name, args, { signal } = {}) => {
      signal?.throwIfAborted()
      const copy = jsonCopy(args, limits)
      const callId = await service.call(sessionId, { tool: name, arguments: copy, idempotency: null })
      const cancel = (): void => void service.cancel(sessionId, callId).catch(report)
      if (signal?.aborted) cancel()
      signal?.addEventListener("abort", cancel)
      try {
        const call = await calls.wait(sessionId, callId)
        if (!call) throw new Error("A wait without a limit ended without a settled call.")
        return outcomeOf(call)
      } finally {
        signal?.removeEventListener("abort", cancel)
      }
    }),
    setRunning: whileOpen(service.setRunning),
    close() {
      isClosed = true
      streams.close()
      lists.close()
      waiter.close()
      store.close()
      return Promise.resolve()
    },
  })
}
