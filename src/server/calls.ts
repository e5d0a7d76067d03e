/**
 * The life of a call: created, perhaps acked, settled once. Pure steps over the session's state.
 * {@link settleCall} is the only way to settle, so a call is settled exactly once whoever comes first.
 */
import type { AnswerRequest, ProgressReport, SettleReason, ToolAnswer } from "../wire/messages.ts"
import { ACK_TIMEOUT_MS, RESULT_DEADLINE_MS } from "../wire/limits.ts"
import { findOffer, modelTools } from "./modelTools.ts"
import { quoted } from "./printable.ts"
import { spend } from "./rateLimits.ts"
import { RETRY_WHEN_FULL_SECONDS, type SessionServerLimits } from "./serverLimits.ts"
import { SessionServerError, tooMany } from "./sessionServerError.ts"
import { type CallRecord, isOwnedBy, isPending, type Owner, type PendingCall, type SettledCall } from "./callRecord.ts"
import type { CallTable } from "./callTable.ts"
import { type Change, dispatchOf, inOrder, type SessionState, type ToolClientRecord } from "./sessionState.ts"
import { checkSize } from "./sessionSize.ts"
import { settlementText } from "./settlementText.ts"

export type CallLimits = Pick<SessionServerLimits, "maxPendingCalls" | "maxSettledCalls" | "maxSettledText">

/** What a call is measured by when it is made. */
export type NewCallLimits = CallLimits & Pick<SessionServerLimits, "maxCallsPerMinute" | "maxSessionSize">

const replaceCall = (session: SessionState, next: CallRecord): SessionState => ({ ...session, calls: session.calls.with(next) })

export function getCall(session: SessionState, callId: string): CallRecord {
  const call = session.calls.get(callId)
  if (call) return call
  throw new SessionServerError(
    404,
    "tool_call_not_found",
    `The session has no call ${quoted(callId)}: it never had one, or it was settled so long ago that it is forgotten. Nothing waits for it.`,
  )
}

/** Keeps the newest settled calls, by count and by the size of their texts. Pending ones are never forgotten. */
function forgetOldCalls(calls: CallTable, limits: CallLimits): CallTable {
  let kept = calls
  for (;;) {
    const { settled, text } = kept.sums
    // The newest one stays however long it is, else nobody could ever read it.
    if (settled <= limits.maxSettledCalls && (text <= limits.maxSettledText || settled <= 1)) return kept
    const oldest = kept.oldestSettled()
    if (!oldest) return kept
    kept = kept.without(oldest.id)
  }
}

/** Settles a call unless it is settled already: then nothing changes and nothing is said. */
export function settleCall(
  session: SessionState,
  call: PendingCall,
  answer: ToolAnswer,
  reason: SettleReason,
  limits: CallLimits,
): Change {
  const { id, clientId, tool, instanceId, loadId, idempotency } = call
  // What the caller holds may be older than the session.
  if (session.calls.get(id)?.status !== "pending") return { session, events: [] }
  const settled: SettledCall = { status: "settled", id, clientId, tool, instanceId, loadId, idempotency, answer, reason }
  // Moved to the end: what is forgotten first is what was settled first.
  return {
    session: { ...session, calls: forgetOldCalls(session.calls.withLast(settled), limits) },
    events: [{ type: "tool_call.settled", data: { call_id: id, client_id: clientId, is_error: answer.is_error, reason } }],
  }
}

/** Settles with an error whose text says what happened. */
export const failCall = (
  session: SessionState,
  call: PendingCall,
  reason: Exclude<SettleReason, "answered">,
  limits: CallLimits,
): Change => settleCall(session, call, { text: settlementText(call, reason), is_error: true }, reason, limits)

/** Settles every pending call of a page load with an error. */
export function failCallsOf(
  session: SessionState,
  owner: Owner,
  reason: Exclude<SettleReason, "answered">,
  limits: CallLimits,
): Change {
  let change: Change = { session, events: [] }
  for (const call of session.calls.pending()) {
    if (!isOwnedBy(call, owner)) continue
    const step = failCall(change.session, call, reason, limits)
    change = { session: step.session, events: [...change.events, ...step.events] }
  }
  return change
}

export interface NewCall {
  readonly callId: string
  /** The name as the model sees it. */
  readonly tool: string
  readonly arguments: unknown
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
}

/** Creates a call and dispatches it, or finds the one that the same `Idempotency-Key` made before. */
export function createCall(
  session: SessionState,
  request: NewCall,
  limits: NewCallLimits,
  now: number,
): Change & { readonly callId: string } {
  const { idempotency } = request
  // A store whose write was lost on its way, or only its answer, runs the step again.
  if (session.calls.get(request.callId)) return { session, events: [], callId: request.callId }
  const earlier = idempotency && session.calls.ofKey(idempotency.key)
  if (earlier) {
    if (earlier.idempotency?.fingerprint === idempotency.fingerprint) return { session, events: [], callId: earlier.id }
    throw new SessionServerError(
      422,
      "idempotency_key_reused",
      "This Idempotency-Key was used for a call with another tool or other arguments. Use a new key for a new call.",
    )
  }
  const offer = findOffer(session, request.tool)
  if (!offer) throw toolNotFound(session, request.tool)
  if (session.calls.sums.pending >= limits.maxPendingCalls) {
    throw tooMany("too_many_calls", `The session has ${limits.maxPendingCalls} unanswered calls. Wait for some of them.`, RETRY_WHEN_FULL_SECONDS)
  }
  const size = JSON.stringify(request.arguments).length
  checkSize(session, size, limits)
  const callBudget = spend(session.callBudget, limits.maxCallsPerMinute, now, "be asked to make calls")
  const call: PendingCall = {
    status: "pending",
    id: request.callId,
    clientId: offer.client.id,
    instanceId: offer.client.instanceId,
    loadId: offer.client.loadId,
    tool: offer.tool.name,
    arguments: request.arguments,
    idempotency,
    size,
    acked: false,
    deadlineAt: now + RESULT_DEADLINE_MS,
    sendAgainAt: now + ACK_TIMEOUT_MS,
  }
  return { session: { ...session, callBudget, calls: session.calls.withLast(call) }, events: [dispatchOf(call)], callId: call.id }
}

function toolNotFound(session: SessionState, name: string): SessionServerError {
  const offered = modelTools(session).map((tool) => tool.name)
  const list = offered.length > 0 ? `Offered now: ${offered.join(", ")}.` : "No tool is offered now: is a page open?"
  return new SessionServerError(404, "tool_not_found", `No tool ${quoted(name)} is offered in this session. ${list}`)
}

export interface Acked extends Change {
  /** Those that were not confirmed before. */
  readonly acked: readonly PendingCall[]
}

/** Confirms calls. Those that are not this client's, settled or unknown are passed over: an ack may come late. */
export function ackCalls(session: SessionState, client: ToolClientRecord, callIds: readonly string[]): Acked {
  let { calls } = session
  const acked: PendingCall[] = []
  for (const id of callIds) {
    const call = calls.get(id)
    if (!call || !isPending(call) || call.acked || !isOwnedBy(call, client)) continue
    const next = { ...call, acked: true }
    acked.push(next)
    calls = calls.with(next)
  }
  return { session: acked.length > 0 ? { ...session, calls } : session, events: [], acked }
}

/** Takes reports of how far calls are; those of calls that are not this client's, settled or unknown are passed over. */
export function noteProgress(session: SessionState, client: ToolClientRecord, reports: readonly ProgressReport[]): Change {
  const note = (report: ProgressReport) => (current: SessionState): Change => {
    const call = current.calls.get(report.call_id)
    if (!call || !isPending(call) || !isOwnedBy(call, client)) return { session: current, events: [] }
    const { call_id: _, ...progress } = report
    return {
      session: replaceCall(current, { ...call, progress: { ...progress, number: (call.progress?.number ?? 0) + 1 } }),
      events: [{ type: "tool_call.progressed", data: { ...report, client_id: call.clientId } }],
    }
  }
  return inOrder(session, ...reports.map(note))
}

/** Takes a page's answer. The same answer again is welcome; another one is too late. */
export function answerCall(
  session: SessionState,
  client: ToolClientRecord,
  { call_id, text, is_error }: AnswerRequest,
  limits: CallLimits,
): Change {
  const call = getCall(session, call_id)
  if (!isOwnedBy(call, client)) {
    throw new SessionServerError(403, "not_your_call", `The call ${quoted(call_id)} was dispatched to another tool client.`)
  }
  if (isPending(call)) return settleCall(session, call, { text, is_error }, "answered", limits)
  const isRepeat = call.reason === "answered" && call.answer.text === text && call.answer.is_error === is_error
  if (isRepeat) return { session, events: [] }
  throw new SessionServerError(409, "call_settled", `The call ${quoted(call_id)} is settled already (${call.reason}); this answer was not taken.`)
}

/** Cancels for the agent. A call that is settled already keeps its answer. */
export function cancelCall(session: SessionState, callId: string, limits: CallLimits): Change {
  const call = getCall(session, callId)
  if (!isPending(call)) return { session, events: [] }
  const { session: next, events } = failCall(session, call, "cancelled", limits)
  return { session: next, events: [{ type: "tool_call.cancelled", data: { call_id: callId, reason: "cancelled" } }, ...events] }
}

/** Hands a call to the page load that comes after its own; it has been sent to nobody yet. */
export const moveCall = (session: SessionState, call: PendingCall, to: ToolClientRecord, now: number): Change => {
  const moved: PendingCall = {
    ...call,
    clientId: to.id,
    instanceId: to.instanceId,
    loadId: to.loadId,
    sendAgainAt: now + ACK_TIMEOUT_MS,
  }
  return { session: replaceCall(session, moved), events: [dispatchOf(moved)] }
}

/** Sends a call again that nobody has acked. */
export const sendCallAgain = (session: SessionState, call: PendingCall, now: number): Change => ({
  session: replaceCall(session, { ...call, sendAgainAt: now + ACK_TIMEOUT_MS }),
  events: [dispatchOf(call)],
})

/** Waits with sending again until the page, which has gone away, comes back. */
export const parkCall = (session: SessionState, call: PendingCall): SessionState => replaceCall(session, { ...call, sendAgainAt: null })
