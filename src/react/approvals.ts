import { reportToConsole } from "../lib/callSafely.ts"
import { notice } from "../lib/notice.ts"
import { onAbort } from "../lib/signals.ts"
import { createStore, type Store } from "../lib/store.ts"
import type { ApprovedBy, ToolCall } from "../tool/toolCall.ts"

export interface AskOptions {
  /** The question, in a sentence. */
  readonly message: string
  /** Milliseconds by the session's clock, after which it counts as refused. @default until the call's deadline */
  readonly timeout?: number | undefined
}

/** Of a DOM event, or of React's wrapper of one. */
interface MaybeEvent {
  readonly isTrusted?: unknown
  readonly type?: unknown
}

/** What a person does. Other trusted events, such as a message's or a load's, come from the browser itself. */
const GESTURE = /^(click|submit|cancel|change|input|key|mouse|pointer|touch)/

/** The event that a decision comes with: the one given, else the one that the page handles right now. */
function eventOf(given: unknown): MaybeEvent | undefined {
  const event = given as MaybeEvent | null | undefined
  return typeof event?.isTrusted === "boolean" ? event : (globalThis as { readonly event?: MaybeEvent }).event
}

const isGesture = (event: MaybeEvent | undefined): boolean => !!event?.isTrusted && GESTURE.test(String(event.type))

const ignoredText = (tool: string): string =>
  `a scripted click on the approval of "${tool}" was ignored (isTrusted is false). In a test call session.approve("${tool}"), or click inside session.asPerson(() => ...), of react-tool-client/testing.`

/** One question that waits for a person. */
export interface PendingApproval {
  readonly callId: string
  readonly tool: string
  /** As dispatched. */
  readonly arguments: unknown
  readonly message: string
  /** Pass it to `onClick`. A scripted event (`isTrusted` is false), passed or being handled right now, does not count. */
  approve(this: void, event?: unknown): void
  refuse(this: void, event?: unknown): void
}

const NOBODY: readonly PendingApproval[] = []

/** The questions of one component, oldest first. */
export interface Approvals extends Pick<Store<readonly PendingApproval[]>, "subscribe"> {
  readonly state: readonly PendingApproval[]
  /** Resolves to the decision; never rejects. */
  ask(this: void, call: ToolCall, options: AskOptions): Promise<boolean>
  /** The component is there; returns its unmount, which refuses what is still asked. */
  mount(): () => void
}

export function createApprovals(): Approvals {
  const store = createStore(NOBODY, reportToConsole)
  const refusals = new Set<() => void>()
  let isMounted = false

  return {
    get state() {
      return store.state
    },
    subscribe: store.subscribe,
    ask: (call, { message, timeout }) =>
      new Promise<boolean>((resolve) => {
        let stopTimer = (): void => {}
        let stopListening = stopTimer

        const settle = (approved: boolean, by: ApprovedBy): void => {
          // The first decision counts.
          if (!refusals.delete(refuseForUnmount)) return
          stopTimer()
          stopListening()
          store.set(store.state.filter((other) => other !== pending))
          asked.settle(approved, by)
          resolve(approved)
        }
        const refuseForUnmount = (): void => settle(false, "unmount")
        refusals.add(refuseForUnmount)
        const asked = call.askPerson(message, settle)
        const byOf = (event: MaybeEvent | undefined): ApprovedBy => (asked.isPlayed?.() || isGesture(event) ? "person" : "code")

        const pending: PendingApproval = {
          callId: call.callId,
          tool: call.tool,
          arguments: call.arguments,
          message,
          approve(given) {
            const event = eventOf(given)
            if (event?.isTrusted === false && !asked.isPlayed?.()) {
              notice(() => process.env.NODE_ENV !== "production" && ignoredText(call.tool))
              return
            }
            settle(true, byOf(event))
          },
          refuse(given) {
            settle(false, byOf(eventOf(given)))
          },
        }

        if (!isMounted) return refuseForUnmount()
        store.set([...store.state, pending])
        if (timeout !== undefined) {
          const timer = call.clock.setTimeout(() => settle(false, "timeout"), timeout)
          stopTimer = () => call.clock.clearTimeout(timer)
        }
        stopListening = onAbort(call.signal, () =>
          settle(false, (call.signal.reason as Partial<Error> | null)?.name === "TimeoutError" ? "deadline" : "abort"),
        )
      }),
    mount() {
      isMounted = true
      return () => {
        isMounted = false
        for (const refuse of [...refusals]) refuse()
      }
    },
  }
}
