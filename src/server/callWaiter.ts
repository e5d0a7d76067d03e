import { getCall } from "./calls.ts"
import { SessionServerError } from "./sessionServerError.ts"
import { isPending, type SettledCall } from "./sessionState.ts"
import type { SessionWaiter, WaitOptions } from "./sessionWaiter.ts"

export interface CallWaiter {
  /** Resolves to the call once it is settled, or to undefined when the wait is over. Rejects when the call or its session is gone. */
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

export function createCallWaiter(waiter: Pick<SessionWaiter, "until">): CallWaiter {
  const waits = new Set<{ readonly sessionId: string }>()

  return {
    async wait(sessionId, callId, options) {
      const wait = { sessionId }
      waits.add(wait)
      try {
        return await waiter.until(
          sessionId,
          (session) => {
            if (!session) throw sessionNotFound(sessionId)
            const call = getCall(session, callId)
            return isPending(call) ? undefined : call
          },
          options,
        )
      } finally {
        waits.delete(wait)
      }
    },
    sessions: () => [...waits].map(({ sessionId }) => sessionId),
  }
}
