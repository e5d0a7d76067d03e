import { RESULT_DEADLINE_MS } from "../wire/limits.ts"
import { isPending, type NumberedProgress, type SettledCall } from "./callRecord.ts"
import { getCall } from "./calls.ts"
import { quoted } from "./printable.ts"
import { SessionServerError } from "./sessionServerError.ts"
import type { SessionWaiter, WaitOptions } from "./sessionWaiter.ts"
import { LOST_CALL_TEXT } from "./settlementText.ts"

/** A call that has ended, or counts as such. */
export type CallEnd = Pick<SettledCall, "id" | "answer">

/** How a call ended, as agents are told. */
export interface CallOutcome {
  readonly call_id: string
  /** For the model: the tool's answer, or what went wrong. */
  readonly text: string
  readonly is_error: boolean
}

export const outcomeOf = ({ id, answer }: CallEnd): CallOutcome => ({
  call_id: id,
  ...answer,
})

export interface CallWaitOptions extends Omit<WaitOptions, "isOwnWrite" | "callId"> {
  /** This process has just written the call, so that it is lost if it is not there. `@default` false: it may never have been */
  readonly isKnown?: boolean
  /** Hears the newest report of how far the call is, and each that comes; of several at once only the last. What gives true ends the wait. */
  readonly onProgress?: ((progress: NumberedProgress) => boolean) | undefined
}

export interface CallWaiter {
  /**
   * Resolves to the call once it is settled, or to undefined when the wait is over. Rejects when the call or its session is not there. One
   * that is lost while it is waited for, as by a store that comes back without its last writes, is told as settled with an error.
   */
  wait(sessionId: string, callId: string, options?: CallWaitOptions): Promise<CallEnd | undefined>
  /** The sessions whose calls are waited for here. */
  sessions(): readonly string[]
}

export const sessionNotFound = (sessionId: string): SessionServerError =>
  new SessionServerError(
    404,
    "session_not_found",
    `There is no session ${quoted(sessionId)}. Create it first; after a restart of the server it returns once one of its pages connects.`,
  )

/** How long after its deadline a call is waited for that its session does not settle, in milliseconds: its store cannot be reached. */
const OVERDUE_MS = 30_000

/** Found by a look after which whoever waits wants no other. */
const ENOUGH = Symbol("enough")

/** Nobody knows what has become of it. */
const lostCall = (id: string): CallEnd => ({ id, answer: { text: LOST_CALL_TEXT, is_error: true } })

export function createCallWaiter(waiter: Pick<SessionWaiter, "until">): CallWaiter {
  const waits = new Set<{ readonly sessionId: string }>()

  return {
    async wait(sessionId, callId, { isKnown: wasKnown = false, timeoutMs, endWhen, onProgress } = {}) {
      const wait = { sessionId }
      waits.add(wait)
      let isKnown = wasKnown
      let heard = 0
      try {
        const ended = await waiter.until<CallEnd | typeof ENOUGH>(
          sessionId,
          (session) => {
            if (isKnown && !session?.calls.get(callId)) return lostCall(callId)
            if (!session) throw sessionNotFound(sessionId)
            const call = getCall(session, callId)
            isKnown = true
            if (!isPending(call)) return call
            if (call.progress && call.progress.number > heard) {
              heard = call.progress.number
              if (onProgress?.(call.progress)) return ENOUGH
            }
            return undefined
          },
          { timeoutMs: timeoutMs ?? RESULT_DEADLINE_MS + OVERDUE_MS, endWhen, isOwnWrite: wasKnown, callId },
        )
        if (ended === ENOUGH) return undefined
        return ended ?? (timeoutMs === undefined ? lostCall(callId) : undefined)
      } finally {
        waits.delete(wait)
      }
    },
    sessions: () => [...waits].map(({ sessionId }) => sessionId),
  }
}
