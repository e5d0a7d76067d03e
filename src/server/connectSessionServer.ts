import { backOffDelay } from "../lib/backOff.ts"
import { callSafely, type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import { aClock, aFunction, checkOptions } from "../lib/checkOptions.ts"
import { type Clock, systemClock } from "../lib/clock.ts"
import { createDeferred } from "../lib/deferred.ts"
import { randomId } from "../lib/randomId.ts"
import { onAbort } from "../lib/signals.ts"
import { createWaiter } from "../lib/waiter.ts"
import { createAgentRequests } from "./agentRequests.ts"
import type { NumberedProgress } from "./callRecord.ts"
import { reasonOf } from "../tool/reason.ts"
import type { ModelTool } from "./modelTools.ts"
import { DEFAULT_WAIT_SECONDS } from "./serverLimits.ts"
import type { CallOutcome } from "./callWaiter.ts"
import type { CallToolOptions, SessionServer } from "./sessionServer.ts"
import { SessionServerError } from "./sessionServerError.ts"
import type { IssuedToken, NewSession } from "./tokenIssuer.ts"

export interface SessionServerConnectionOptions {
  /** Where the server's `/v1` begins. */
  readonly url: string
  /** The server's `apiKey`. Never use it in a page. */
  readonly apiKey: string
  /** @default the platform's */
  readonly fetch?: typeof fetch | undefined
  /** @default the machine's clock */
  readonly clock?: Clock | undefined
  /** Receives errors of reading watched tools. @default `console.error` */
  readonly onError?: ErrorHandler | undefined
}

/**
 * An agent's methods for a session server in another process. They reject with the server's {@link SessionServerError}, or, if it does not answer after some
 * retries, with a `SessionError`.
 */
export interface SessionServerConnection
  extends Pick<SessionServer, "createSession" | "createToken" | "tools" | "callTool" | "watchTools"> {
  /** Ends all watches. Only a watch keeps a process running. */
  close(): void
}

const WAIT_MS = DEFAULT_WAIT_SECONDS * 1000

/** Where nobody can wait for a change, as of a session that is not there yet, it is looked for again after this, in milliseconds. */
export const LOOK_AGAIN_MS = 5_000

/** @throws TypeError which says what is wrong with the options, and what is right */
const checkConnectionOptions = (options: SessionServerConnectionOptions): void =>
  checkOptions<SessionServerConnectionOptions>("connectSessionServer", options, {
    url: { what: "a URL where the server's /v1 begins, such as https://agents.example.com", admits: (value) => typeof value === "string" && /^https?:\/\/[^?#]*$/i.test(value) && URL.canParse(value), isRequired: true },
    apiKey: { what: "the apiKey that the session server was made with, in printable ASCII without spaces, as a header takes it", admits: (value) => typeof value === "string" && /^[\x21-\x7e]+$/.test(value), isRequired: true, isSecret: true },
    fetch: aFunction,
    clock: aClock,
    onError: aFunction,
  })

const pathOf = (sessionId: string): string => `/v1/sessions/${encodeURIComponent(sessionId)}`

/**
 * Connects to a session server over HTTP, for an agent in another process. `sessionTools` and `mcpServer` accept it in place of the server.
 *
 * @throws TypeError for a missing or invalid option, such as an apiKey that is not valid in a header
 * @example
 * const server = connectSessionServer({ url: "https://agents.example.com", apiKey: process.env.API_KEY! })
 * const { text, is_error } = await server.callTool(sessionId, "client__web__add_todo", { title: "milk" })
 */
export function connectSessionServer(options: SessionServerConnectionOptions): SessionServerConnection {
  checkConnectionOptions(options)
  const { apiKey, clock = systemClock, onError = reportToConsole } = options
  const send = createAgentRequests({ url: options.url.replace(/\/+$/, ""), apiKey, fetch: options.fetch, clock })
  const waiter = createWaiter(clock)
  const closed = new AbortController()

  /** Joins the call until it is settled; the server settles every call, after five minutes at the latest. */
  async function join(path: string, onProgress: CallToolOptions["onProgress"]): Promise<CallOutcome> {
    for (let heard = 0; ; ) {
      const query = `?wait=${DEFAULT_WAIT_SECONDS}${onProgress ? `&progress=${heard}` : ""}`
      const { status, body } = await send({ method: "GET", path: path + query, waitMs: WAIT_MS })
      if (status !== 202) return body as CallOutcome
      const { number, ...progress } = (body as { progress?: NumberedProgress }).progress ?? { number: 0, done: 0 }
      if (onProgress && number > heard) callSafely(onProgress, progress, onError)
      heard = Math.max(heard, number)
    }
  }

  async function watch(sessionId: string, listener: (tools: readonly ModelTool[]) => void, signal: AbortSignal): Promise<void> {
    const path = `${pathOf(sessionId)}/tools?wait=${DEFAULT_WAIT_SECONDS}`
    let etag: string | null = null
    let told: string | undefined
    let problem: string | undefined
    let failures = 0
    const tell = (tools: readonly ModelTool[]): void => {
      const text = JSON.stringify(tools)
      if (text === told) return
      told = text
      callSafely(listener, tools, onError)
    }
    while (!signal.aborted) {
      try {
        const headers: Record<string, string> = etag === null ? {} : { "if-none-match": etag }
        const reply = await send({ method: "GET", path, headers, waitMs: WAIT_MS, signal })
        failures = 0
        problem = undefined
        if (reply.status === 304) continue
        tell(reply.body as readonly ModelTool[])
        // Without a tag, or with the same again, nobody waited: a server or a proxy that does not know how to.
        if (reply.etag === null || reply.etag === etag) await waiter.wait(LOOK_AGAIN_MS, signal)
        etag = reply.etag
      } catch (error) {
        if (signal.aborted) return
        etag = null
        if (error instanceof SessionServerError && error.code === "session_not_found") {
          tell([])
          await waiter.wait(LOOK_AGAIN_MS, signal)
          continue
        }
        // The same again and again is told once.
        if (reasonOf(error) !== problem) callSafely(onError, error, reportToConsole)
        problem = reasonOf(error)
        await waiter.wait(backOffDelay(clock, failures++), signal)
      }
    }
  }

  return {
    createSession: async ({ id } = {}) => (await send(id === undefined ? { method: "POST", path: "/v1/sessions" } : { method: "PUT", path: pathOf(id) })).body as NewSession,
    createToken: async (sessionId) => (await send({ method: "POST", path: `${pathOf(sessionId)}/tokens` })).body as IssuedToken,
    tools: async (sessionId) => (await send({ method: "GET", path: `${pathOf(sessionId)}/tools` })).body as readonly ModelTool[],
    async callTool(sessionId, name, args = {}, { signal, onProgress, onCallId } = {}) {
      signal?.throwIfAborted()
      const calls = `${pathOf(sessionId)}/tool-calls`
      // Not waited for: once its id is known it can be cancelled.
      const made = await send({
        method: "POST",
        path: `${calls}?wait=0`,
        body: { tool: name, arguments: args },
        headers: { "idempotency-key": randomId() },
      })
      const { call_id: callId } = made.body as CallOutcome
      if (onCallId) callSafely(onCallId, callId, onError)
      if (made.status !== 202) return made.body as CallOutcome
      const path = `${calls}/${encodeURIComponent(callId)}`
      const cancelled = createDeferred<CallOutcome>()
      const cancel = async (): Promise<CallOutcome> => (await send({ method: "POST", path: `${path}/cancel` })).body as CallOutcome
      const stop = onAbort(signal, () => void cancel().then(cancelled.resolve, cancelled.reject))
      try {
        return await Promise.race([join(path, onProgress), cancelled.promise])
      } finally {
        stop()
      }
    },
    watchTools(sessionId, listener) {
      const stopped = new AbortController()
      const stop = onAbort(closed.signal, () => stopped.abort())
      void watch(sessionId, listener, stopped.signal)
      return () => {
        stop()
        stopped.abort()
      }
    },
    close: () => closed.abort(),
  }
}
