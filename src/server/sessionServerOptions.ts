import { callSafely, reportToConsole } from "../lib/callSafely.ts"
import { aClock, aFunction, anyOrListed, checkOptions, hasMethods, type OptionRule } from "../lib/checkOptions.ts"
import type { Clock } from "../lib/clock.ts"
import { type Some, withDefaults } from "../lib/withDefaults.ts"
import type { AgentEndpoint } from "./agentEndpoint.ts"
import type { AuthorizeAgent } from "./authorization.ts"
import type { AllowedOrigins } from "./cors.ts"
import type { AllowedHosts } from "./hosts.ts"
import type { ServerObserver } from "./serverEvents.ts"
import { DEFAULT_SERVER_LIMITS, type SessionServerLimits } from "./serverLimits.ts"
import type { SessionStorage } from "./sessionStore.ts"

/** Receives messages for the operator. `console` is one. */
export interface ServerLogger {
  warn(message: string): void
  error(message: string, error: unknown): void
}

export interface SessionServerOptions {
  /**
   * The key that agents and your back end send as `Authorization: Bearer`. In a list each key is valid, so you can rotate them. Never send it to pages.
   * @default none: agents' HTTP requests are answered 403 unless `authorize` accepts them; in-process methods work. `logger.warn` reports one that is given
   * as `undefined`.
   */
  readonly apiKey?: string | readonly string[] | undefined
  /**
   * Accepts agents' requests by your own rules, besides the API key. Return who asks (used in logs and traces), or null to refuse. It gets the request
   * without its body, and the session's id. Cannot be combined with `allowedOrigins: "*"`, since it may use cookies. If it throws, the answer is 500, or that of a `SessionServerError`.
   * @default nobody
   */
  readonly authorize?: AuthorizeAgent | undefined
  /**
   * Signs the session tokens. Servers with the same secret accept each other's tokens, also after a restart.
   * To rotate it, pass a list with the new one first: the first signs, all verify. Remove the old one after `tokenTtlSeconds`.
   * Use at least 32 random characters; `logger.warn` reports a shorter one.
   * @default random per server, so a restart ends all sessions; `logger.warn` reports it once
   */
  readonly secret?: string | readonly string[] | undefined
  /** How long a session token is valid, in seconds. A stream ends with its token. @default 3_600 (an hour) */
  readonly tokenTtlSeconds?: number | undefined
  /** Limits per session, request and stream. @default DEFAULT_SERVER_LIMITS for each one that is missing */
  readonly limits?: Some<SessionServerLimits> | undefined
  /**
   * Origins of pages that may use the server, as browsers write them (`https://app.example`), or `"*"`. The server's own origin is always allowed.
   * @default none
   */
  readonly allowedOrigins?: AllowedOrigins | undefined
  /**
   * Host names that the server accepts, without a port, or `"*"`. Protects against DNS rebinding. Set it unless a proxy in front checks host names.
   * @default "*"; on loopback `serve()` accepts only loopback's own names
   */
  readonly allowedHosts?: AllowedHosts | undefined
  /**
   * Receive events, for logs, metrics and traces (`createLogObserver`, `createMetrics`, `createTraceObserver`).
   * @default none
   */
  readonly observers?: readonly ServerObserver[] | undefined
  /**
   * Where sessions are stored. With `redisStore()` of `react-tool-client/server/redis`, any number of processes share sessions; give all of them the same
   * `secret`.
   * @default this process's memory
   */
  readonly store?: SessionStorage | undefined
  /**
   * Other protocols for agents, by their path below `/v1/sessions/{sid}/`: `{ mcp: mcpEndpoint() }` of `react-tool-client/server/mcp`. They need the
   * API key too, and close with the server.
   * @default none
   */
  readonly endpoints?: Readonly<Record<string, AgentEndpoint>> | undefined
  /** The path before `/v1` where the handler is mounted, such as `/api`. @default "" */
  readonly basePath?: string | undefined
  /** @default the machine's clock */
  readonly clock?: Clock | undefined
  /** @default console */
  readonly logger?: ServerLogger | undefined
}

/** As long as the hash that it keys (RFC 7518 §3.2). */
const SECRET_MIN_LENGTH = 32

export const consoleLogger: ServerLogger = {
  warn: (message) => console.warn(message),
  error: (message, error) => console.error(message, error),
}

/** As given, but what it throws goes to the console, and breaks nothing. */
export const safeLogger = (logger: ServerLogger): ServerLogger => ({
  warn: (message) => callSafely(() => logger.warn(message), undefined, reportToConsole),
  error: (message, error) => callSafely(() => logger.error(message, error), undefined, reportToConsole),
})

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value

/** What a client can send behind `Bearer`; that it is not empty is another matter. */
const HEADER_TEXT = /^[\x21-\x7e]*$/

const isTextOrTexts = (value: unknown): boolean => [value].flat().every((text) => typeof text === "string")

const keys = (what: string, admits: (keys: readonly string[]) => boolean): OptionRule => ({
  what,
  admits: (value) => isTextOrTexts(value) && admits(listOf(value as string | readonly string[])),
  isSecret: true,
})

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value)

/** What takes the server's warnings. */
export const aServerLogger: OptionRule = { what: "a logger: { warn, error }, such as console", admits: (value) => hasMethods(value, "warn", "error") }

/** A path that a handler is mounted under. */
const aBasePath: OptionRule = {
  what: 'a path that begins with "/" and does not end with it, such as "/api", or ""',
  admits: (value) => typeof value === "string" && /^(?:\/[^/?#]+)*$/.test(value),
}

/** Says of options that TypeScript has not seen what would show much later, or nowhere. @throws TypeError */
export const checkSessionServerOptions = (options: unknown): void =>
  checkOptions<SessionServerOptions>("createSessionServer", options, {
    apiKey: keys("a string or a list of them, in printable ASCII without spaces or line breaks, as a header takes it", (list) => list.every((key) => HEADER_TEXT.test(key))),
    authorize: aFunction,
    secret: keys("a string or a list of them", () => true),
    tokenTtlSeconds: { what: "a number of seconds above 0", admits: (value) => Number.isFinite(value) && (value as number) > 0 },
    limits: { what: "an object such as { maxCallsPerMinute: 120 }", admits: isObject },
    allowedOrigins: anyOrListed,
    allowedHosts: anyOrListed,
    observers: { what: "a list of functions", admits: (value) => Array.isArray(value) && value.every((observer) => typeof observer === "function") },
    store: { what: "one of redisStore()", admits: (value) => hasMethods(value, "open") },
    endpoints: { what: "an object such as { mcp: mcpEndpoint() }", admits: (value) => isObject(value) && Object.values(value).every((endpoint) => hasMethods(endpoint, "handle", "close")) },
    basePath: aBasePath,
    clock: aClock,
    logger: aServerLogger,
  })

/** @throws TypeError for an empty one, which would let everybody in, and for what lets every page act for its visitors */
export function readKeys(options: SessionServerOptions, logger: ServerLogger): { apiKeys: readonly string[]; secrets: readonly string[] } {
  const { apiKey, secret, authorize, allowedOrigins } = options
  const apiKeys = listOf(apiKey)
  const secrets = listOf(secret)
  if ([...apiKeys, ...secrets].includes("") || (apiKey !== undefined && apiKeys.length === 0) || (secret !== undefined && secrets.length === 0)) {
    throw new TypeError("createSessionServer: apiKey and secret must not be empty.")
  }
  if (authorize && allowedOrigins === "*") {
    // A browser sends a person's cookies along with any page's POST, and `authorize` may go by them.
    throw new TypeError('createSessionServer: with `authorize`, name the pages in allowedOrigins instead of "*", so that no other page acts in a visitor\'s name.')
  }
  if (secrets.length === 0) {
    logger.warn("The session server signs its tokens with a random secret: a restart ends all sessions. Set `secret` to keep them.")
  }
  if ("apiKey" in options && apiKey === undefined && !authorize) {
    logger.warn("The session server's apiKey is undefined, likely an environment variable that is not set: agents' requests over HTTP are answered 403. Set it, or leave `apiKey` out.")
  }
  for (const { length } of secrets) {
    if (length >= SECRET_MIN_LENGTH) continue
    logger.warn(`The session server's secret has ${length} characters: with a token in hand it can be guessed. Use at least ${SECRET_MIN_LENGTH} random ones.`)
  }
  return { apiKeys, secrets }
}

/** @throws TypeError for what is no limit, and for one that there is not */
export function readLimits(given: Some<SessionServerLimits> = {}): SessionServerLimits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_SERVER_LIMITS, name)) throw new TypeError(`limits: there is no limit "${name}". Known: ${Object.keys(DEFAULT_SERVER_LIMITS).join(", ")}.`)
    if (value === undefined) continue
    if (typeof value !== "number" || !(value > 0)) throw new TypeError(`limits.${name}: must be a number above 0, not ${String(value)}.`)
  }
  return withDefaults(DEFAULT_SERVER_LIMITS, given)
}
