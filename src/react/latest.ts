/** What the last committed render had: written in the insertion effect, before anything of that commit can run. */
export interface Latest<Value> {
  current(): Value
  commit(value: Value): void
}

/** Kept in `useState`, not in a ref that render writes: a render that is thrown away must leave nothing behind. */
export function createLatest<Value>(first: Value): Latest<Value> {
  let latest = first
  return {
    current: () => latest,
    commit(value) {
      latest = value
    },
  }
}
