import type { Clock } from "../lib/clock.ts"
import { createWaiter } from "../lib/waiter.ts"
import type { HubSocket } from "./hubSocket.ts"
import { REMOTE_CALL_TIMEOUT_MS } from "./messages.ts"

/** A call that the hub waits for. */
export interface HubCall {
  readonly callId: string
  readonly remotename: string
  readonly requestId: string
  readonly socket: HubSocket
}

/** Which calls of this page's remotes the hub waits for. */
export interface RunningCalls {
  begin(call: HubCall): void
  /** The call, which from here on is answered. */
  take(callId: string): HubCall | undefined
  /** Resolves when no call of the remote runs, or those that do have failed at the hub. */
  idle(remotename: string): Promise<void>
  /** Nobody waits for calls of this remote any more. */
  drop(remotename: string): void
  /** Nobody waits any more; returns whose calls those were. */
  clear(): readonly string[]
}

export function createRunningCalls(clock: Clock): RunningCalls {
  const calls = new Map<string, HubCall & { readonly begunAt: number }>()
  const change = createWaiter(clock)

  /** Those that nobody answered in time have failed at the hub. */
  function forgetOld(): void {
    for (const [callId, { begunAt }] of calls) if (clock.now() - begunAt >= REMOTE_CALL_TIMEOUT_MS) calls.delete(callId)
  }

  const runs = (remotename: string): boolean => [...calls.values()].some((call) => call.remotename === remotename)

  return {
    begin(call) {
      forgetOld()
      calls.set(call.callId, { ...call, begunAt: clock.now() })
    },
    take(callId) {
      const call = calls.get(callId)
      calls.delete(callId)
      change.wake()
      return call
    },
    async idle(remotename) {
      const giveUpAt = clock.now() + REMOTE_CALL_TIMEOUT_MS
      for (let left = REMOTE_CALL_TIMEOUT_MS; runs(remotename) && left > 0; left = giveUpAt - clock.now()) await change.wait(left)
    },
    drop(remotename) {
      for (const call of calls.values()) if (call.remotename === remotename) calls.delete(call.callId)
      change.wake()
    },
    clear() {
      const ids = [...calls.keys()]
      calls.clear()
      change.wake()
      return ids
    },
  }
}
