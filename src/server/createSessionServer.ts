import { systemClock } from "../lib/clock.ts"
import { createDeferred } from "../lib/deferred.ts"
import { createApiKeys } from "./apiKeys.ts"
import { createAgentRoutes } from "./agentRoutes.ts"
import { createAgentServer } from "./agentServer.ts"
import { createCallIds } from "./callIds.ts"
import type { AgentServer } from "./agentToolSource.ts"
import { createAnswers } from "./answers.ts"
import { createCallWaiter } from "./callWaiter.ts"
import { createCors } from "./cors.ts"
import { withDirectAnswer } from "./directAnswer.ts"
import { drain } from "./drain.ts"
import { createEndpointRoutes } from "./endpointRoutes.ts"
import { createEventStreams } from "./eventStreams.ts"
import { createHostCheck } from "./hosts.ts"
import { createMemoryStore } from "./memoryStore.ts"
import { createPageRoutes } from "./pageRoutes.ts"
import { printable } from "./printable.ts"
import { createRateLimiter } from "./rateLimits.ts"
import { createRequestBodies } from "./requestBodies.ts"
import { rememberTokens } from "./rememberedTokens.ts"
import { createTell } from "./serverEvents.ts"
import { DEFAULT_TOKEN_TTL_SECONDS, DRAIN_GRACE_MS, LAST_ANSWERS_MS } from "./serverLimits.ts"
import { checkSessionServerOptions, consoleLogger, readKeys, readLimits, safeLogger, type SessionServerOptions } from "./sessionServerOptions.ts"
import type { SessionServer } from "./sessionServer.ts"
import { createSessionService } from "./sessionService.ts"
import { createSessionWaiter, serverClosed } from "./sessionWaiter.ts"
import { createTokenIssuer } from "./tokenIssuer.ts"
import { createSessionTokens } from "./tokens.ts"
import { createToolLists } from "./toolLists.ts"
import { nowhere, requestOfWeb, responseOf } from "./webExchange.ts"

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
  const { tools, watchTools, callTool } = createAgentServer({ service, calls, lists, limits, report })
  const agent: AgentServer = {
    tools: untilClosed(tools),
    watchTools: (sessionId, listener) => (status === "closed" ? () => {} : watchTools(sessionId, listener)),
    callTool: whileOpen(callTool),
  }
  const endpoints = options.endpoints ?? {}
  const answers = createAnswers({
    hosts,
    cors,
    routes: {
      ...createEndpointRoutes({ endpoints, authorization, allowedHosts: options.allowedHosts ?? "*", server: agent }),
      ...createAgentRoutes({ authorization, service, issuer, callIds: createCallIds(secrets), waiter: calls, lists, bodies, limits, refuseNew }),
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
