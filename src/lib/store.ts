import { callSafely, type ErrorHandler } from "./callSafely.ts"

/** One immutable snapshot and whoever listens to it. */
export interface Store<State> {
  readonly state: State
  /** Replaces the snapshot; nothing happens when it is the same one. */
  set(next: State): void
  /** Calls `listener` after each replacement; returns its unsubscribe, which may be called more than once. */
  subscribe(listener: (state: State) => void): () => void
}

/**
 * Each subscription is its own record, so a function subscribed twice is heard twice and unsubscribed once each.
 * A listener that throws is reported and stops no other.
 */
export function createStore<State>(initial: State, onListenerError: ErrorHandler): Store<State> {
  let state = initial
  const subscriptions = new Set<{ readonly listener: (state: State) => void }>()
  return {
    get state() {
      return state
    },
    set(next) {
      if (Object.is(state, next)) return
      state = next
      for (const subscription of [...subscriptions]) {
        if (subscriptions.has(subscription)) callSafely(subscription.listener, state, onListenerError)
      }
    },
    subscribe(listener) {
      const subscription = { listener }
      subscriptions.add(subscription)
      return () => {
        subscriptions.delete(subscription)
      }
    },
  }
}
