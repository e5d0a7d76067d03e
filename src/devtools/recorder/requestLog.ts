import { reasonOf } from "../../tool/reason.ts"
import { bound } from "./bounded.ts"
import type { RequestTrace } from "./history.ts"
import { createRequestReasons } from "./requestReasons.ts"
import type { Sent } from "./wrapPort.ts"

export interface RequestLogOptions {
  now(): number
  nextKey(): number
  /** Whose a request is: the name it was created with, and the one that the server gave it. */
  ownerOf(sent: Sent): { readonly subject: string; readonly client: string }
  /** The tool of a call. */
  toolOf(callId: string | undefined): string | undefined
  /** Whether the error says that the other side does not know the client. */
  isGone(error: unknown): boolean
  onSent(sent: Sent): void
  onTaken(sent: Sent, value: unknown): void
  onChange(): void
}

/** Every request with why it was sent and what became of it, oldest first. */
export interface RequestLog {
  readonly traces: readonly RequestTrace[]
  around<Value>(sent: Sent, send: () => Promise<Value>): Promise<Value>
  /** The stream has opened again. */
  opened(): void
  clear(): void
}

export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { now, onChange } = options
  const traces = new Map<number, RequestTrace>()
  const reasons = createRequestReasons()

  return {
    get traces() {
      return [...traces.values()]
    },
    async around(sent, send) {
      const { subject, client } = options.ownerOf(sent)
      const begun: RequestTrace = {
        key: options.nextKey(),
        type: sent.type,
        client,
        why: reasons.why(subject, sent, options.toolOf(sent.callId), now()),
        body: sent.body,
        sentAt: now(),
        endedAt: undefined,
        outcome: "pending",
        error: undefined,
      }
      traces.set(begun.key, begun)
      bound(traces)
      options.onSent(sent)
      onChange()
      const end = (change: Partial<RequestTrace>, error?: unknown): void => {
        // It may have been cleared meanwhile.
        if (traces.has(begun.key)) traces.set(begun.key, { ...begun, ...change, endedAt: now() })
        reasons.ended(subject, sent, error, error !== undefined && options.isGone(error), now())
        onChange()
      }
      try {
        const value = await send()
        options.onTaken(sent, value)
        end({ outcome: "taken" })
        return value
      } catch (error) {
        end({ outcome: "failed", error: reasonOf(error) }, error ?? new Error("It was rejected without a reason."))
        throw error
      }
    },
    opened: reasons.opened,
    clear: () => traces.clear(),
  }
}
