/** Tokens that are taken back before their time, as pure steps over the session's state. */
import { type CallLimits, failCall } from "./calls.ts"
import { MAX_REVOKED_TOKENS } from "./serverLimits.ts"
import { SessionServerError } from "./sessionServerError.ts"
import { type Change, clientEvent, inOrder, type RevokedToken, type SessionState } from "./sessionState.ts"
import type { TokenClaims } from "./tokens.ts"

export const isRevoked = (session: SessionState, { tokenId, issuedAt }: TokenClaims): boolean =>
  session.isRevoked === true || (session.revokedUntil > 0 && issuedAt <= session.revokedUntil) || session.revokedTokens.some(({ id }) => id === tokenId)

/** @throws SessionServerError 401, as for a token that has expired: a page asks for a new one either way */
export function refuseRevoked(session: SessionState, claims: TokenClaims): void {
  if (!isRevoked(session, claims)) return
  throw new SessionServerError(401, "token_revoked", "The session token was revoked. Ask your own server for a new one, which may refuse.", {
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
  })
}

/** @throws SessionServerError 410 where tokens are asked for that its pages would come back with */
export function refuseRevokedSession(session: SessionState): void {
  if (session.isRevoked) throw new SessionServerError(410, "session_revoked", `The session "${session.id}" was revoked. Create it again, \`createSession({ id })\`, to let its pages in, or refuse them.`)
}

/** Says nothing new, but to whoever holds a stream: look at the session again. */
const wakeStreams = (session: SessionState): Change => ({ session, events: [{ type: "session.running", data: { running: session.running } }] })

/** Takes one token back. Where so many are remembered already that it would be one too many, all there are: nobody is let in by that. */
export function revokeToken(session: SessionState, token: RevokedToken, now: number): Change {
  const remembered = session.revokedTokens.filter(({ id, expiresAt }) => expiresAt > now && id !== token.id)
  if (remembered.length >= MAX_REVOKED_TOKENS) return wakeStreams({ ...session, revokedUntil: now, revokedTokens: [] })
  return wakeStreams({ ...session, revokedTokens: [...remembered, token] })
}

/** Takes all tokens back, and what their pages have brought: clients are gone, and every call is settled. */
export const revokeSession = (session: SessionState, expiresAt: number, limits: CallLimits, now: number): Change =>
  inOrder(
    { ...session, running: false, revokedUntil: now, revokedTokens: [], isRevoked: true, expiresAt: Math.max(session.expiresAt, expiresAt) },
    (current) => ({
      session: { ...current, clients: [] },
      events: current.clients.map((client) => clientEvent("tool_client.deleted", client)),
    }),
    ...[...session.calls.pending()].map((call) => (current: SessionState) => failCall(current, call, "session_closed", limits)),
    wakeStreams,
  )
