import type { CallWaiter } from "./callWaiter.ts"
import type { EventStreams } from "./eventStreams.ts"
import type { SessionWaiter } from "./sessionWaiter.ts"

export interface DrainOptions {
  readonly streams: Pick<EventStreams, "sessions" | "end">
  readonly calls: Pick<CallWaiter, "sessions">
  readonly waiter: Pick<SessionWaiter, "until">
  /** Milliseconds. */
  readonly graceMs: number
}

/**
 * Resolves when no session that is served here has a pending call, or the grace is over. A session's streams are ended as soon as it has none:
 * its pages resume elsewhere meanwhile, one session after the other.
 */
export async function drain({ streams, calls, waiter, graceMs }: DrainOptions): Promise<void> {
  const sessions = new Set([...streams.sessions(), ...calls.sessions()])
  const quiet = async (sessionId: string): Promise<void> => {
    await waiter.until(sessionId, (session) => (session && session.calls.sums.pending > 0 ? undefined : true), { timeoutMs: graceMs })
    streams.end(sessionId)
  }
  // A session that cannot be read any more has nothing to wait for.
  await Promise.allSettled([...sessions].map(quiet))
}
