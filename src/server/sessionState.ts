/**
 * What the server knows of one session, as data: each record is one that JSON can say, so that any store can keep it.
 * Changes are pure functions that give back a {@link Change}; nothing here waits, sends or reads a clock.
 */
import type { Lifetime, SessionEvent, ToolSpec } from "../wire/messages.ts"
import type { CallRecord, Owner } from "./callRecord.ts"
import { CallTable } from "./callTable.ts"

/** Whether a client's tools are offered now. `leaving` ends at `until` (milliseconds since the epoch) unless its page comes back. */
export type Presence =
  | { readonly type: "serving" }
  | { readonly type: "suspended" }
  | { readonly type: "leaving"; readonly until: number }

export interface ToolClientRecord extends Owner {
  readonly id: string
  /** The name that the server gave. */
  readonly name: string
  /** The name that the client asked for. */
  readonly requestedName: string
  readonly lifetime: Lifetime
  readonly tools: readonly ToolSpec[]
  /** Of the last accepted update; 0 at registration. */
  readonly revision: number
  readonly presence: Presence
  /** Characters of `tools` as JSON: what it takes of `maxSessionSize`. */
  readonly size: number
  /** When it is dropped unless a request of its comes, in milliseconds since the epoch; null lives until deleted. */
  readonly expiresAt: number | null
}

/** A page load whose client was deleted: a copy of its registration that was held up on its way must not bring it back before `until`. */
export interface DeletedLoad extends Owner {
  readonly until: number
}

/** A token that is not taken any more, remembered until it would have ended by itself. */
export interface RevokedToken {
  readonly id: string
  readonly expiresAt: number
}

export interface SessionState {
  readonly id: string
  /** The agent is at work. */
  readonly running: boolean
  /** When the last token known for it ends; an empty session may be forgotten then. */
  readonly expiresAt: number
  /** In the order of registration. */
  readonly clients: readonly ToolClientRecord[]
  readonly calls: CallTable
  /** The newest last. */
  readonly deletedLoads: readonly DeletedLoad[]
  /** Tokens that were issued then or before are not taken any more (milliseconds since the epoch); 0 for none. */
  readonly revokedUntil: number
  readonly revokedTokens: readonly RevokedToken[]
  /** All of it was taken back: no token is made for it until it is created again. What an earlier version has kept does not say. */
  readonly isRevoked?: boolean
  /** What is left of `maxCallsPerMinute`, as it was at a time. */
  readonly callBudget: { readonly left: number; readonly at: number } | null
}

/**
 * An event as the session's log keeps it. A dispatch is kept as a reference and written out when it is sent: the log stays
 * small, `deadline_ms` is true, and a call that is settled meanwhile is not sent at all.
 */
export type LogEvent =
  | Exclude<SessionEvent, { type: "tool_call.dispatched" | "keep_alive" | "resync" }>
  | { readonly type: "tool_call.dispatched"; readonly data: { readonly call_id: string; readonly client_id: string } }

/** A session after a step, and what the step has to say to the streams. */
export interface Change {
  readonly session: SessionState
  readonly events: readonly LogEvent[]
}

export const newSession = (id: string, expiresAt: number): SessionState => ({
  id,
  running: false,
  expiresAt,
  clients: [],
  calls: CallTable.of([]),
  deletedLoads: [],
  revokedUntil: 0,
  revokedTokens: [],
  callBudget: null,
})

export const dispatchOf = (call: CallRecord): LogEvent => ({
  type: "tool_call.dispatched",
  data: { call_id: call.id, client_id: call.clientId },
})

export const clientEvent = (
  type: "tool_client.registered" | "tool_client.updated" | "tool_client.deleted" | "tool_client.expired",
  client: ToolClientRecord,
): LogEvent => ({ type, data: { client_id: client.id, name: client.name } })

/** Applies steps one after the other and gathers what they say. */
export function inOrder(session: SessionState, ...steps: readonly ((session: SessionState) => Change)[]): Change {
  let current = session
  const events: LogEvent[] = []
  for (const step of steps) {
    const change = step(current)
    current = change.session
    events.push(...change.events)
  }
  return { session: current, events }
}

/** When the session must next be looked at although nobody asks (milliseconds since the epoch), or null. */
export function nextDueAt(session: SessionState): number | null {
  let dueAt = session.calls.sums.dueAt
  for (const { presence, expiresAt } of session.clients) {
    if (presence.type === "leaving") dueAt = Math.min(dueAt, presence.until)
    if (expiresAt !== null) dueAt = Math.min(dueAt, expiresAt)
  }
  if (isIdle(session)) dueAt = Math.min(dueAt, session.expiresAt)
  return dueAt === Infinity ? null : dueAt
}

/** Nobody is there and nobody waits. */
export const isIdle = (session: SessionState): boolean => session.clients.length === 0 && session.calls.sums.pending === 0
