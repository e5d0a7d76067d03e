import type { ErrorHandler } from "../lib/callSafely.ts"
import { randomId } from "../lib/randomId.ts"
import { onAbort } from "../lib/signals.ts"
import { createStore } from "../lib/store.ts"
import type { ToolAnswer } from "../tool/toolSpec.ts"
import { RESULT_DEADLINE_MS } from "../wire/limits.ts"
import type { Offers } from "./declaration.ts"
import type { Dispatch } from "./port.ts"
import { NO_OFFERS, NOTHING_OFFERED } from "./noOffers.ts"

export interface LocalCallOptions {
  /** Aborts the call: `call.signal` of the tool follows. */
  readonly signal?: AbortSignal | undefined
  /** Who calls, for the call's record. */
  readonly via?: string | undefined
}

/** A tool client's tools for callers within the page, whatever the other side knows of them: no network is on the way. */
export interface LocalTools {
  /** What is declared right now. The same object while nothing that is published changes. */
  current(): Offers
  /**
   * Calls `listener` whenever `current()` may give something else from now on; returns its unsubscribe. To be asked for in the next
   * microtask: within a tick, components come and go.
   */
  subscribe(listener: () => void): () => void
  /** Calls a tool as a dispatch does: checked, in its turn, recorded, and rendered before it is answered. Never rejects. */
  call(tool: string, args: unknown, options?: LocalCallOptions): Promise<ToolAnswer>
}

export interface LocalToolsOptions {
  offers(): Offers
  /** Whether the client has left: it offers nothing then. */
  isOver(): boolean
  receive(dispatch: Dispatch): void
  cancel(callId: string, reason: string): void
  readonly onError: ErrorHandler
}

export function createLocalTools(options: LocalToolsOptions): LocalTools & {
  /** The offers may be others now. */
  changed(): void
} {
  const { isOver } = options
  const changes = createStore({}, options.onError)

  return {
    current: () => (isOver() ? NO_OFFERS : options.offers()),
    subscribe: changes.subscribe,
    changed: () => changes.set({}),
    call(tool, args, { signal, via } = {}) {
      if (isOver()) return Promise.resolve(NOTHING_OFFERED)
      return new Promise((resolve) => {
        const callId = randomId()
        options.receive({
          callId,
          tool,
          arguments: args,
          deadlineMs: RESULT_DEADLINE_MS,
          ...(via !== undefined && { via }),
          reply(answer) {
            stopListening()
            resolve(answer)
          },
        })
        const stopListening = onAbort(signal, () => options.cancel(callId, "its caller gave it up"))
      })
    },
  }
}
