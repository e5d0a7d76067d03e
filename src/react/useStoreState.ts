import { useSyncExternalStoreWithSelector } from "use-sync-external-store/with-selector"
import { expectGiven } from "./expectClient.ts"

/** What the hooks read: anything with a snapshot and a subscription. */
interface Readable<State> {
  readonly state: State
  subscribe(listener: () => void): () => void
}

const NOTHING = (): (() => void) => () => {}

/**
 * A selected part of a store's snapshot; `absent` while there is no store. Re-renders only when the part changes by `isEqual`; `selector`
 * may be another function at each render.
 */
export function useStoreState<State, Selection>(
  store: Readable<State> | null | undefined,
  absent: State,
  selector: (state: State) => Selection,
  isEqual?: (one: Selection, other: Selection) => boolean,
): Selection {
  expectGiven("This hook", store, "subscribe", "a session or a tool client")
  const snapshot = (): State => (store ? store.state : absent)
  // A boundary that hydrates late finds a store that has moved on; what the server rendered is what it had before.
  return useSyncExternalStoreWithSelector(store ? store.subscribe : NOTHING, snapshot, () => absent, selector, isEqual)
}

export const identity = <Value>(value: Value): Value => value
