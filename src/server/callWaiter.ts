import { RESULT_DEADLINE_MS } from "../wire/limits.ts"
import { getCall } from "./calls.ts"
import { SessionServerError } from "./sessionServerError.ts"
import { isPending, type PendingCall, type SettledCall } from "./sessionState.ts"
import type { SessionWaiter, WaitOptions } from "./sessionWaiter.ts"
import { settlementText } from "./settlementText.ts"

export interface CallWaiter {
  /**
   * Resolves to the call once it is settled, or to undefined when the wait is over. Rejects when the call or its session is not there. One
   * that is lost while it is waited for, as by a store that comes back without its last writes, is told as settled with an error.
   */
  wait(sessionId: string, callId: string, options?: WaitOptions): Promise<SettledCall | undefined>
  /** The sessions whose calls are waited for here. */
  sessions(): readonly string[]
}

export const sessionNotFound = (sessionId: string): SessionServerError =>
  new SessionServerError(
    404,
    "session_not_found",
    `There is no session "${sessionId}". Create it first; after a restart of the server it is back once one of its pages has connected.`,
  )

/** How long after its deadline a call is waited for that its session does not settle, in milliseconds: its store cannot be reached. */
const OVERDUE_MS = 30_000

/** Nobody knows what has become of it. */
const lostCall = (call: PendingCall): SettledCall => {
  const { id, clientId, tool, instanceId, loadId, idempotency } = call
  const text = settlementText({ ...call, acked: true }, "session_closed")
  return { status: "settled", id, clientId, tool, instanceId, loadId, idempotency, answer: { text, is_error: true }, reason: "session_closed" }
}

export function createCallWaiter(waiter: Pick<SessionWaiter, "until">): CallWaiter {
  const waits = new Set<{ readonly sessionId: string }>()

  return {
    async wait(sessionId, callId, options) {
      const wait = { sessionId }
      waits.add(wait)
      const isEndless = options?.timeoutMs === undefined
      let pending: PendingCall | undefined
      try {
        const settled = await waiter.until(
          sessionId,
          (session) => {
            if (pending && !session?.calls.some(({ id }) => id === callId)) return lostCall(pending)
            if (!session) throw sessionNotFound(sessionId)
            const call = getCall(session, callId)
            if (!isPending(call)) return call
            pending = call
            return undefined
          },
          { ...options, timeoutMs: options?.timeoutMs ?? RESULT_DEADLINE_MS + OVERDUE_MS },
        )
        return settled ?? (isEndless && !options?.signal?.aborted && pending ? lostCall(pending) : undefined)
      } finally {
        waits.delete(wait)
      }
    },
    sessions: () => [...waits].map(({ sessionId }) => sessionId),
  }
}
