import { useEffect, useState, useSyncExternalStore } from "react"
import { expectGiven } from "./expectClient.ts"
import { createLatest, type Latest } from "./latest.ts"

/** What the hooks read: anything with a snapshot and a subscription. */
interface Readable<State> {
  readonly state: State
  subscribe(listener: () => void): () => void
}

interface Picked<Selection> {
  readonly value: Selection
}

const NOTHING = (): (() => void) => () => {}

/** Picks once for each snapshot, and gives what was there before where the pick is equal to it: React then has nothing to do. */
function createPick<State, Selection>(
  selector: (state: State) => Selection,
  isEqual: (one: Selection, other: Selection) => boolean,
  rendered: Latest<Picked<Selection> | undefined>,
): (state: State) => Selection {
  let last: (Picked<Selection> & { readonly state: State }) | undefined
  return (state) => {
    if (last && Object.is(last.state, state)) return last.value
    const value = selector(state)
    const before = last ?? rendered.current()
    last = { state, value: before && isEqual(before.value, value) ? before.value : value }
    return last.value
  }
}

/**
 * A selected part of a store's snapshot; `absent` while there is no store. Re-renders only when the part changes by `isEqual`; `selector`
 * may be another function at each render.
 */
export function useStoreState<State, Selection>(
  store: Readable<State> | null | undefined,
  absent: State,
  selector: (state: State) => Selection,
  isEqual: (one: Selection, other: Selection) => boolean = Object.is,
): Selection {
  expectGiven("This hook", store, "subscribe", "a session or a tool client")
  const [rendered] = useState(() => createLatest<Picked<Selection> | undefined>(undefined))
  const pick = createPick(selector, isEqual, rendered)
  const value = useSyncExternalStore(
    store ? store.subscribe : NOTHING,
    () => pick(store ? store.state : absent),
    // A boundary that hydrates late finds a store that has moved on; what the server rendered is what it had before.
    () => pick(absent),
  )
  useEffect(() => rendered.commit({ value }), [rendered, value])
  return value
}

export const identity = <Value>(value: Value): Value => value
