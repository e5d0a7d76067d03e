/** What one session may hold: each process and each store has many to hold. */
import { RETRY_WHEN_FULL_SECONDS, type SessionServerLimits } from "./serverLimits.ts"
import { tooMany } from "./sessionServerError.ts"
import type { SessionState } from "./sessionState.ts"

/** Never refuses what makes it less, so that a session that is too large can shrink. @throws SessionServerError 429 */
export function checkToolCount(session: SessionState, more: number, { maxTools }: Pick<SessionServerLimits, "maxTools">): void {
  const count = session.clients.reduce((sum, { tools }) => sum + tools.length, more)
  if (more <= 0 || count <= maxTools) return
  throw tooMany("too_many_tools", `The session's clients would have ${count} tools; the maximum is ${maxTools}.`, RETRY_WHEN_FULL_SECONDS)
}

/** @throws SessionServerError 429 when the session's tools and pending arguments would be more than they may */
export function checkSize(session: SessionState, more: number, { maxSessionSize }: Pick<SessionServerLimits, "maxSessionSize">): void {
  const size = session.clients.reduce((sum, { size: ofClient }) => sum + ofClient, more + session.calls.sums.size)
  if (more <= 0 || size <= maxSessionSize) return
  throw tooMany(
    "session_too_large",
    `The session's tools and the arguments of its pending calls would be ${size} characters of JSON; the maximum is ${maxSessionSize}.`,
    RETRY_WHEN_FULL_SECONDS,
  )
}
