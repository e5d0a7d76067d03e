import { randomId } from "../lib/randomId.ts"
import { quoted } from "./printable.ts"
import { MAX_ID_LENGTH } from "./serverLimits.ts"
import { SessionServerError } from "./sessionServerError.ts"
import type { SessionService } from "./sessionService.ts"
import type { SessionTokens } from "./tokens.ts"

/** A token for a page to carry. */
export interface IssuedToken {
  readonly token: string
  /** Names the token where it is to be revoked; no secret. */
  readonly token_id: string
  /** When it ends, as in RFC 3339: `2030-01-31T12:00:00.000Z`. */
  readonly expires_at: string
}

/** A session and a first token for it. */
export interface NewSession extends IssuedToken {
  readonly id: string
}

export interface NewSessionOptions {
  /**
   * A name of your own, such as a conversation's: 1 to 128 letters, digits, `_` and `-`. A session that is there already is kept, so it may be asked
   * for twice; one that was revoked is opened again, for tokens of from now on.
   * @default a random one
   */
  readonly id?: string | undefined
}

/** An application may name its sessions itself, as long as the name can stand in a path. */
const SESSION_ID = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ID_LENGTH}}$`)

export interface TokenIssuer {
  /** Rejects with `invalid_request` for an id that is none. */
  createSession(options?: NewSessionOptions): Promise<NewSession>
  /** Rejects with `session_revoked`, and with `invalid_request` for an id that is none. */
  createToken(sessionId: string): Promise<IssuedToken>
  /** Rejects with `session_not_found`. */
  revokeToken(sessionId: string, tokenId: string): Promise<void>
  /** Also of a session that this server does not know (any more): its tokens would open it again. */
  revokeSession(sessionId: string): Promise<void>
}

export interface TokenIssuerOptions {
  readonly service: Pick<SessionService, "create" | "open" | "revokeToken" | "revokeSession">
  readonly tokens: SessionTokens
  readonly ttlSeconds: number
  /** Milliseconds since the epoch. */
  now(): number
}

/** Opens sessions, signs tokens for them, and takes both back. */
export function createTokenIssuer({ service, tokens, ttlSeconds, now }: TokenIssuerOptions): TokenIssuer {
  /** When a token of now ends: whole seconds, as all readers of NumericDate take it. */
  const expiry = (): number => (Math.floor(now() / 1000) + ttlSeconds) * 1000

  const checkId = (sessionId: string): void => {
    if (SESSION_ID.test(sessionId)) return
    throw new SessionServerError(400, "invalid_request", `A session's id has 1 to ${MAX_ID_LENGTH} letters, digits, _ and -; ${quoted(sessionId)} has not.`)
  }

  async function issue(sessionId: string, open: SessionService["open"]): Promise<IssuedToken> {
    checkId(sessionId)
    const expiresAt = expiry()
    const revokedUntil = await open(sessionId, expiresAt)
    const tokenId = randomId()
    // After what was revoked also where this machine's clock is behind the store's.
    const token = await tokens.sign({ sessionId, tokenId, issuedAt: Math.max(now(), revokedUntil + 1), expiresAt })
    return { token, token_id: tokenId, expires_at: new Date(expiresAt).toISOString() }
  }

  return {
    createToken: (sessionId) => issue(sessionId, service.open),
    createSession: async ({ id = randomId() } = {}) => ({ id, ...(await issue(id, service.create)) }),
    async revokeToken(sessionId, tokenId) {
      if (tokenId.length > MAX_ID_LENGTH) throw new SessionServerError(400, "invalid_request", `A token's id has ${MAX_ID_LENGTH} characters at most; ${quoted(tokenId)} has ${tokenId.length}.`)
      await service.revokeToken(sessionId, { id: tokenId, expiresAt: expiry() })
    },
    async revokeSession(sessionId) {
      checkId(sessionId)
      await service.revokeSession(sessionId, expiry())
    },
  }
}
