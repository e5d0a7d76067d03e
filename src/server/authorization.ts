/** Who asks: a page with a session token, or an agent with the API key. Both come as `Authorization: Bearer`. */
import { SessionServerError } from "./sessionServerError.ts"
import type { SessionTokens, TokenClaims } from "./tokens.ts"

function bearerOf(request: Request, what: string): string {
  const header = request.headers.get("authorization")
  const bearer = header?.match(/^Bearer +(\S+)$/i)?.[1]
  if (bearer !== undefined) return bearer
  const problem = header === null ? "is missing" : "is not of the form `Bearer <value>`"
  throw new SessionServerError(401, "missing_token", `The Authorization header ${problem}. Send \`Authorization: Bearer <${what}>\`.`, {
    headers: { "www-authenticate": "Bearer" },
  })
}

/** @throws SessionServerError 401 without a good token, 403 with one of another session */
export async function authorizePage(request: Request, sessionId: string, tokens: SessionTokens): Promise<TokenClaims> {
  const claims = await tokens.verify(bearerOf(request, "session token"))
  if (claims.sessionId === sessionId) return claims
  throw new SessionServerError(403, "wrong_session", `The session token is for another session than "${sessionId}", which the path names.`)
}

const digest = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))

/** Takes the same time wherever the two differ, and tells nothing of their lengths. */
async function isSameSecret(left: string, right: string): Promise<boolean> {
  const [a, b] = await Promise.all([digest(left), digest(right)])
  return a.reduce((difference, byte, index) => difference | (byte ^ (b[index] ?? 0)), 0) === 0
}

const isSessionToken = (bearer: string, tokens: SessionTokens): Promise<boolean> =>
  tokens.verify(bearer).then(
    () => true,
    (error: unknown) => error instanceof SessionServerError && error.code === "token_expired",
  )

/** @throws SessionServerError 401 without the API key, 403 with a session token or where no key is set */
export async function authorizeAgent(request: Request, apiKey: string | undefined, tokens: SessionTokens): Promise<void> {
  if (apiKey === undefined) {
    throw new SessionServerError(
      403,
      "agent_routes_disabled",
      "This server was made without an API key, so it takes no agent's requests over HTTP. Give createSessionServer an `apiKey`, or call its methods in process.",
    )
  }
  const bearer = bearerOf(request, "API key")
  if (await isSameSecret(bearer, apiKey)) return
  if (await isSessionToken(bearer, tokens)) {
    throw new SessionServerError(403, "token_not_accepted", "A session token belongs to a page; this request is an agent's and needs the API key.")
  }
  throw new SessionServerError(401, "invalid_token", "The API key is not the one that this server was made with.", {
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
  })
}
