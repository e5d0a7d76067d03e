import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from "jose"
import { SessionServerError } from "./sessionServerError.ts"

/** What a good token says. */
export interface TokenClaims {
  readonly sessionId: string
  /** Names the token, so that it can be revoked without the token itself; empty where whoever signed it gave none. */
  readonly tokenId: string
  /** Milliseconds since the epoch; 0 where whoever signed it did not say. */
  readonly issuedAt: number
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

export interface SessionTokens {
  sign(claims: TokenClaims): Promise<string>
  /** @throws SessionServerError 401 `invalid_token` or `token_expired` */
  verify(token: string): Promise<TokenClaims>
}

const ALGORITHM = "HS256"
const HMAC = { name: "HMAC", hash: "SHA-256" }
/** Keeps a token that the same secret signed for something else from being taken (RFC 8725 §3.9, §3.11). */
const AUDIENCE = "react-tool-client/session"
/** RFC 7518 §3.2: a key of at least the hash's size. */
const RANDOM_SECRET_BYTES = 32
/** Characters of a `kid`, six bits each: enough that no two secrets of one server share one. */
const KEY_ID_LENGTH = 12

interface SigningKey {
  /** The header's `kid` (RFC 7515 §4.1.4). */
  readonly id: string
  readonly key: CryptoKey
}

/** A key is named by what it makes of a fixed text: the same name on every server, and no hint at the secret that a token would not give. */
async function importKey(secret: Uint8Array<ArrayBuffer>): Promise<SigningKey> {
  const key = await crypto.subtle.importKey("raw", secret, HMAC, false, ["sign", "verify"])
  const name = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${AUDIENCE}#kid`))
  const id = btoa(String.fromCharCode(...new Uint8Array(name))).replaceAll("+", "-").replaceAll("/", "_").slice(0, KEY_ID_LENGTH)
  return { id, key }
}

const refusal = (code: "invalid_token" | "token_expired", message: string, cause: unknown): SessionServerError =>
  new SessionServerError(401, code, message, { cause, headers: { "www-authenticate": 'Bearer error="invalid_token"' } })

/**
 * Signs and checks the tokens that pages carry: a JSON Web Token with the session's id and an expiry, so that a server
 * needs no memory to know a session again.
 *
 * @param options.secrets - The first signs, all of them verify. Shared by all servers of the session. `@default` one at random
 * @param options.now - Milliseconds since the epoch.
 */
export function createSessionTokens(options: { secrets: readonly string[]; now: () => number }): SessionTokens {
  const { secrets, now } = options
  const bytes = secrets.length === 0 ? [crypto.getRandomValues(new Uint8Array(RANDOM_SECRET_BYTES))] : secrets.map((secret) => new TextEncoder().encode(secret))
  const keys = Promise.all(bytes.map(importKey))
  // Whoever needs them hears of a key that cannot be made; until then it is no unhandled rejection.
  keys.catch(() => {})

  /** One without a `kid` was signed elsewhere with a shared secret: whichever fits. */
  async function candidates(kid: unknown): Promise<readonly SigningKey[]> {
    const all = await keys
    return kid === undefined ? all : all.filter(({ id }) => id === kid)
  }

  async function verifyWith({ key }: SigningKey, token: string): Promise<TokenClaims> {
    const { payload } = await jwtVerify(token, key, { algorithms: [ALGORITHM], audience: AUDIENCE, currentDate: new Date(now()) })
    const { sid, exp, iat = 0, jti = "" } = payload
    if (typeof sid !== "string" || typeof exp !== "number") throw new TypeError("sid or exp is missing, or of the wrong type")
    return { sessionId: sid, tokenId: jti, issuedAt: Math.round(iat * 1000), expiresAt: exp * 1000 }
  }

  return {
    async sign({ sessionId, tokenId, issuedAt, expiresAt }) {
      const [first] = await keys
      if (!first) throw new Error("There is no key to sign with.")
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", kid: first.id })
        .setAudience(AUDIENCE)
        .setJti(tokenId)
        // To the millisecond, which NumericDate allows (RFC 7519 §2): a token must be told from one that was revoked just before.
        .setIssuedAt(issuedAt / 1000)
        .setExpirationTime(expiresAt / 1000)
        .sign(first.key)
    },
    async verify(token) {
      let cause: unknown = new Error("no key of this server has the name that the token gives")
      try {
        const { kid } = decodeProtectedHeader(token)
        for (const key of await candidates(kid)) {
          const claims = await verifyWith(key, token).catch((error: unknown) => {
            cause = error
          })
          if (claims) return claims
          if (cause instanceof errors.JWTExpired) break
        }
      } catch (error) {
        cause = error
      }
      if (cause instanceof errors.JWTExpired) {
        throw refusal("token_expired", "The session token has expired. Ask your own server for a new one and send the request again.", cause)
      }
      throw refusal(
        "invalid_token",
        "The session token was not signed by this server, or it is damaged. Ask your own server for a new one; servers that share sessions need the same secret.",
        cause,
      )
    },
  }
}
