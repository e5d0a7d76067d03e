/** Who asks: a page with a session token, or an agent with the API key. Both come as `Authorization: Bearer`. */
import type { Clock } from "../lib/clock.ts"
import { withTimeLimit } from "../lib/signals.ts"
import { type ApiKeys, bearerIn } from "./apiKeys.ts"
import { quoted } from "./printable.ts"
import type { RequestHead, ServerRequest } from "./serverRequest.ts"
import { SessionServerError } from "./sessionServerError.ts"
import type { SessionTokens, TokenClaims } from "./tokens.ts"

export function bearerOf(request: RequestHead, what: string): string {
  const bearer = bearerIn(request)
  if (bearer !== undefined) return bearer
  const problem = !request.headers.has("authorization") ? "is missing" : "is not of the form `Bearer <value>`"
  throw new SessionServerError(401, "missing_token", `The Authorization header ${problem}. Send \`Authorization: Bearer <${what}>\`.`, {
    headers: { "www-authenticate": "Bearer" },
  })
}

/** @throws SessionServerError 401 without a good token, 403 with one of another session */
export async function authorizePage(request: RequestHead, sessionId: string, tokens: SessionTokens): Promise<TokenClaims> {
  const claims = await tokens.verify(bearerOf(request, "session token"))
  if (claims.sessionId === sessionId) return claims
  throw new SessionServerError(403, "wrong_session", `The session token is for another session, not for ${quoted(sessionId)}.`)
}

const isSessionToken = (bearer: string, tokens: SessionTokens): Promise<boolean> =>
  tokens.verify(bearer).then(
    () => true,
    (error: unknown) => error instanceof SessionServerError && error.code === "token_expired",
  )

/** What an agent-side request is for. */
export interface AgentTarget {
  /** null where the request is for a session that does not exist yet. */
  readonly sessionId: string | null
}

/**
 * Says who an agent-side request comes from (for logs and traces), or null for nobody. The request has no body.
 * Looks at the session too where not everybody may use all of them. After 10 s its request's signal aborts, and the agent is answered 503.
 */
export type AuthorizeAgent = (request: Request, target: AgentTarget) => string | null | Promise<string | null>

/** `authorize` may take so long: less than the 15 s after which an agent's client gives up, so that it is told why. Milliseconds. */
export const AUTHORIZE_TIMEOUT_MS = 10_000

export interface AgentAuthorization {
  readonly apiKeys: ApiKeys
  readonly authorize: AuthorizeAgent | undefined
  readonly clock: Clock
  readonly tokens: SessionTokens
}

/** Gets a copy without the body, which is the route's to read. @throws SessionServerError 503 where it does not say in time */
async function ask(authorize: AuthorizeAgent, request: ServerRequest, target: AgentTarget, clock: Clock): Promise<unknown> {
  let limit: AbortSignal | undefined
  try {
    return await withTimeLimit(clock, AUTHORIZE_TIMEOUT_MS, async (signal) => {
      limit = signal
      return authorize(request.withoutBody(signal), target)
    })
  } catch (cause) {
    if (!limit?.aborted) throw cause
    throw new SessionServerError(503, "authorization_unavailable", `\`authorize\` of createSessionServer did not answer within ${AUTHORIZE_TIMEOUT_MS / 1000} s. Try again.`, { cause })
  }
}

/** Whoever sends the API key. */
export const API_KEY_HOLDER = "api_key"

/**
 * @returns who it is: the API key's holder, or who `authorize` says
 * @throws SessionServerError 401 for nobody, 403 with a session token or where neither a key nor `authorize` is set, 503 where `authorize` does not say
 */
export async function authorizeAgent(request: ServerRequest, target: AgentTarget, { apiKeys, authorize, clock, tokens }: AgentAuthorization): Promise<string> {
  if (apiKeys.isEmpty && !authorize) {
    throw new SessionServerError(
      403,
      "agent_routes_disabled",
      "This server has no API key, so it refuses agents' requests over HTTP. Pass createSessionServer an `apiKey` or `authorize`, or call its methods in process.",
    )
  }
  if (await apiKeys.areIn(request)) return API_KEY_HOLDER
  const who = authorize && (await ask(authorize, request, target, clock))
  if (typeof who === "string" && who !== "") return who
  // It may be of JavaScript: what names nobody, `false` and "" above all, lets nobody in.
  if (who !== undefined && who !== null) throw new TypeError(`authorize of createSessionServer returned ${JSON.stringify(who)}; it must return who asks, a non-empty string, or null.`)
  const bearer = bearerOf(request, "API key")
  if (await isSessionToken(bearer, tokens)) {
    throw new SessionServerError(403, "token_not_accepted", "A session token belongs to a page; this request is an agent's and needs the API key.")
  }
  throw new SessionServerError(401, "invalid_token", "The API key is not one of this server's.", {
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
  })
}
