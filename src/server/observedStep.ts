import { RESULT_DEADLINE_MS } from "../wire/limits.ts"
import type { SettleReason } from "../wire/messages.ts"
import { type CallRecord, isPending, type PendingCall } from "./callRecord.ts"
import type { UntimedEvent } from "./serverEvents.ts"
import type { LogEvent, SessionState } from "./sessionState.ts"

export interface Step {
  readonly before: SessionState | undefined
  readonly after: SessionState | undefined
  readonly events: readonly LogEvent[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

const find = (session: SessionState | undefined, callId: string): CallRecord | undefined => session?.calls.get(callId)

/** Since it was made, in milliseconds; 0 for a call that was settled already. */
const ageOf = (call: CallRecord | undefined, now: number): number =>
  call && isPending(call) ? Math.max(0, now - (call.deadlineAt - RESULT_DEADLINE_MS)) : 0

const callOf = (sessionId: string, { id, clientId, tool }: CallRecord) => ({ sessionId, callId: id, clientId, tool })

/** What it is that a page has confirmed calls. */
export const ackedEvents = (sessionId: string, calls: readonly PendingCall[], now: number): readonly UntimedEvent[] =>
  calls.map((call) => ({ type: "call.acked", ...callOf(sessionId, call), durationMs: ageOf(call, now) }))

/** What a step on a session was, for those who observe: told only once it is written, since a store may run a step in vain. */
export function* observedStep(sessionId: string, step: Step): Generator<UntimedEvent> {
  const { before, after, events, now } = step
  for (const { type, data } of events) {
    switch (type) {
      case "tool_call.dispatched": {
        const call = find(after, data.call_id)
        if (call) yield { type: "call.dispatched", ...callOf(sessionId, call), isRepeat: find(before, call.id) !== undefined }
        break
      }
      case "tool_call.settled": {
        const call = find(before, data.call_id)
        if (call) yield { type: "call.settled", ...callOf(sessionId, call), reason: data.reason as SettleReason, isError: data.is_error, durationMs: ageOf(call, now) }
        break
      }
      case "tool_client.registered": {
        const { client_id: clientId, name } = data
        const toolCount = after?.clients.find(({ id }) => id === clientId)?.tools.length ?? 0
        yield { type: "client.registered", sessionId, clientId, name, toolCount }
        break
      }
      case "tool_client.deleted":
        yield { type: "client.deleted", sessionId, clientId: data.client_id, name: data.name }
        break
      case "tool_client.expired":
        yield { type: "client.expired", sessionId, clientId: data.client_id, name: data.name }
        break
      default:
        // The others tell a page what an observer has no use for.
        break
    }
  }
}
