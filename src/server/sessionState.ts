/**
 * What the server knows of one session, as data that JSON can say, so that any store can keep it.
 * Changes are pure functions that give back a {@link Change}; nothing here waits, sends or reads a clock.
 */
import type { CallProgress } from "../tool/toolCall.ts"
import type { Lifetime, SessionEvent, SettleReason, ToolAnswer, ToolSpec } from "../wire/messages.ts"

/** Whether a client's tools are offered now. `leaving` ends at `until` (milliseconds since the epoch) unless its page comes back. */
export type Presence =
  | { readonly type: "serving" }
  | { readonly type: "suspended" }
  | { readonly type: "leaving"; readonly until: number }

/** One page load's claim on its calls: an answer counts when it comes from the same instance and load. */
export interface Owner {
  readonly instanceId: string
  readonly loadId: string
}

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

interface CallRecordBase extends Owner {
  readonly id: string
  readonly clientId: string
  readonly tool: string
  /** What the agent sent to tell a repeat of its request, null without. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
}

export interface PendingCall extends CallRecordBase {
  readonly status: "pending"
  readonly arguments: unknown
  /** Characters of `arguments` as JSON: what it takes of `maxSessionSize`. */
  readonly size: number
  /** The page has confirmed that it has the call. */
  readonly acked: boolean
  readonly deadlineAt: number
  /** When it is sent again unless it is acked. */
  readonly sendAgainAt: number
  /** The newest report of its page, if there was one. */
  readonly progress?: NumberedProgress
}

export interface NumberedProgress extends CallProgress {
  /** Counts the call's reports, from 1. */
  readonly number: number
}

/** Its arguments are forgotten; the answer never changes any more. */
export interface SettledCall extends CallRecordBase {
  readonly status: "settled"
  readonly answer: ToolAnswer
  readonly reason: SettleReason
}

export type CallRecord = PendingCall | SettledCall

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
  /** In the order of creation. */
  readonly calls: readonly CallRecord[]
  /** The newest last. */
  readonly deletedLoads: readonly DeletedLoad[]
  /** Tokens that were issued then or before are not taken any more (milliseconds since the epoch); 0 for none. */
  readonly revokedUntil: number
  readonly revokedTokens: readonly RevokedToken[]
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
  calls: [],
  deletedLoads: [],
  revokedUntil: 0,
  revokedTokens: [],
  callBudget: null,
})

export const isPending = (call: CallRecord): call is PendingCall => call.status === "pending"

export const isOwnedBy = (call: Owner, owner: Owner): boolean =>
  call.instanceId === owner.instanceId && call.loadId === owner.loadId

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
  const serving = new Set<string>()
  const times: number[] = []
  for (const client of session.clients) {
    if (client.presence.type === "serving") serving.add(client.id)
    if (client.presence.type === "leaving") times.push(client.presence.until)
    if (client.expiresAt !== null) times.push(client.expiresAt)
  }
  for (const call of session.calls) {
    if (!isPending(call)) continue
    times.push(call.deadlineAt)
    if (!call.acked && serving.has(call.clientId)) times.push(call.sendAgainAt)
  }
  if (isIdle(session)) times.push(session.expiresAt)
  return times.length > 0 ? Math.min(...times) : null
}

/** Nobody is there and nobody waits. */
export const isIdle = (session: SessionState): boolean => session.clients.length === 0 && !session.calls.some(isPending)
