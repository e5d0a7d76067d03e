import { errors, jwtVerify, SignJWT } from "jose"
import { SessionServerError } from "./sessionServerError.ts"

/** What a good token says. */
export interface TokenClaims {
  readonly sessionId: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

export interface SessionTokens {
  sign(sessionId: string): Promise<{ readonly token: string; readonly expiresAt: number }>
  /** @throws SessionServerError 401 `invalid_token` or `token_expired` */
  verify(token: string): Promise<TokenClaims>
}

const ALGORITHM = "HS256"
/** Keeps a token that the same secret signed for something else from being taken (RFC 8725 §3.9, §3.11). */
const AUDIENCE = "react-tool-client/session"
/** RFC 7518 §3.2: a key of at least the hash's size. */
const RANDOM_SECRET_BYTES = 32

const refusal = (code: "invalid_token" | "token_expired", message: string, cause: unknown): SessionServerError =>
  new SessionServerError(401, code, message, { cause, headers: { "www-authenticate": 'Bearer error="invalid_token"' } })

/**
 * Signs and checks the tokens that pages carry: a JSON Web Token with the session's id and an expiry, so that a server
 * needs no memory to know a session again.
 *
 * @param options.secret - Shared by all servers of the session. `@default` random
 * @param options.now - Milliseconds since the epoch.
 */
export function createSessionTokens(options: { secret: string | undefined; ttlSeconds: number; now: () => number }): SessionTokens {
  const { secret, ttlSeconds, now } = options
  const bytes = secret === undefined ? crypto.getRandomValues(new Uint8Array(RANDOM_SECRET_BYTES)) : new TextEncoder().encode(secret)
  const key = crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"])
  // Whoever needs it hears of a key that cannot be made; until then it is no unhandled rejection.
  key.catch(() => {})
  return {
    async sign(sessionId) {
      const issuedAt = Math.floor(now() / 1000)
      const expiresAt = issuedAt + ttlSeconds
      const token = await new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
        .setAudience(AUDIENCE)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(await key)
      return { token, expiresAt: expiresAt * 1000 }
    },
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, await key, {
          algorithms: [ALGORITHM],
          audience: AUDIENCE,
          currentDate: new Date(now()),
        })
        const { sid, exp } = payload
        if (typeof sid !== "string" || typeof exp !== "number") throw new TypeError("sid or exp is missing, or of the wrong type")
        return { sessionId: sid, expiresAt: exp * 1000 }
      } catch (cause) {
        if (cause instanceof errors.JWTExpired) {
          throw refusal("token_expired", "The session token has expired. Ask your own server for a new one and send the request again.", cause)
        }
        throw refusal(
          "invalid_token",
          "The session token was not signed by this server, or it is damaged. Ask your own server for a new one; servers that share sessions need the same secret.",
          cause,
        )
      }
    },
  }
}
