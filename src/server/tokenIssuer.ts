import { randomId } from "../lib/randomId.ts"
import { MAX_ID_LENGTH } from "./serverLimits.ts"
import { SessionServerError } from "./sessionServerError.ts"
import type { SessionService } from "./sessionService.ts"
import type { SessionTokens } from "./tokens.ts"

/** A token for a page to carry. */
export interface IssuedToken {
  readonly token: string
  /** When it ends, as in RFC 3339: `2030-01-31T12:00:00.000Z`. */
  readonly expires_at: string
}

/** A session and a first token for it. */
export interface NewSession extends IssuedToken {
  readonly id: string
}

/** An application may name its sessions itself, as long as the name can stand in a path. */
const SESSION_ID = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ID_LENGTH}}$`)

/** Opens sessions and signs tokens for them. */
export function createTokenIssuer({ service, tokens }: { service: SessionService; tokens: SessionTokens }): {
  createSession(): Promise<NewSession>
  createToken(sessionId: string): Promise<IssuedToken>
} {
  async function createToken(sessionId: string): Promise<IssuedToken> {
    if (!SESSION_ID.test(sessionId)) {
      throw new SessionServerError(400, "invalid_request", `A session's id has 1 to ${MAX_ID_LENGTH} letters, digits, _ and -; "${sessionId}" has not.`)
    }
    const { token, expiresAt } = await tokens.sign(sessionId)
    await service.open({ sessionId, expiresAt })
    return { token, expires_at: new Date(expiresAt).toISOString() }
  }
  return {
    createToken,
    async createSession() {
      const id = randomId()
      return { id, ...(await createToken(id)) }
    },
  }
}
