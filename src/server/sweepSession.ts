/** What time alone does to a session: clients expire or have left, deadlines pass, unacked dispatches are sent again. */
import { type CallLimits, failCall, parkCall, sendCallAgain } from "./calls.ts"
import { callDueAt } from "./callRecord.ts"
import { isIdle, type LogEvent, type SessionState, type ToolClientRecord } from "./sessionState.ts"
import { removeToolClient } from "./toolClients.ts"

export interface Swept {
  /** undefined: the session is forgotten; a good token opens it again. */
  readonly session: SessionState | undefined
  readonly events: readonly LogEvent[]
}

const reasonToGo = (client: ToolClientRecord, now: number): "client_left" | "client_expired" | undefined => {
  const isExpired = client.expiresAt !== null && client.expiresAt <= now
  if (client.presence.type === "leaving") return isExpired || client.presence.until <= now ? "client_left" : undefined
  return isExpired ? "client_expired" : undefined
}

/** Safe to run at any time, by anybody, any number of times: it does only what is due at `now`. */
export function sweepSession(session: SessionState, limits: CallLimits, now: number): Swept {
  let current = session
  const events: LogEvent[] = []
  const apply = (change: { session: SessionState; events: readonly LogEvent[] }): void => {
    current = change.session
    events.push(...change.events)
  }
  for (const client of session.clients) {
    const reason = reasonToGo(client, now)
    if (reason) apply(removeToolClient(current, client, reason, limits))
  }
  const serving = new Set(current.clients.filter(({ presence }) => presence.type === "serving").map(({ id }) => id))
  for (const call of current.calls.pending()) {
    if (call.deadlineAt <= now) apply(failCall(current, call, "deadline", limits))
    else if (callDueAt(call) > now) continue
    else if (serving.has(call.clientId)) apply(sendCallAgain(current, call, now))
    // One that an earlier version of the server has kept: its page is away.
    else current = parkCall(current, call)
  }
  if (isIdle(current) && current.expiresAt <= now) return { session: undefined, events }
  return { session: current, events }
}
