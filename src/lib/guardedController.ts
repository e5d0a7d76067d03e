import { callSafely, type ErrorHandler } from "./callSafely.ts"

type Listener = EventListenerOrEventListenerObject

/**
 * An `AbortController` for a user's code: what a listener of its signal throws goes to `onError`. An `EventTarget` reports it to the
 * platform, and Node ends the process for it. The signal is a real one, as `fetch` demands; only its own ways to listen are replaced.
 */
export function createGuardedController(onError: ErrorHandler): AbortController {
  const controller = new AbortController()
  const { signal } = controller
  const { addEventListener, removeEventListener } = signal
  const guards = new WeakMap<object, EventListener>()
  let onabort: AbortSignal["onabort"] = null
  const callHandler = (event: Event): unknown => onabort?.call(signal, event)

  function guard(listener: Listener): Listener {
    // As by itself: `null` is ignored.
    if (!(listener as Listener | null)) return listener
    const known = guards.get(listener)
    if (known) return known
    const call = (event: Event): unknown => (typeof listener === "function" ? listener.call(signal, event) : listener.handleEvent(event))
    const guarded = (event: Event): void => callSafely(call, event, onError)
    guards.set(listener, guarded)
    return guarded
  }

  Object.defineProperties(signal, {
    addEventListener: {
      value: (type: string, listener: Listener, options?: boolean | AddEventListenerOptions) => addEventListener.call(signal, type, guard(listener), options),
    },
    removeEventListener: {
      value: (type: string, listener: Listener, options?: boolean | EventListenerOptions) => removeEventListener.call(signal, type, guard(listener), options),
    },
    onabort: {
      get: () => onabort,
      set(handler: AbortSignal["onabort"]) {
        onabort = handler
        signal.addEventListener("abort", callHandler)
      },
    },
  })
  return controller
}
