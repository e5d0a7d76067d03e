/** Calls, and requests, that are kept: an afternoon's work of an agent. */
export const KEPT = 5_000

/** Drops what is oldest beyond `KEPT`. */
export function bound(map: Map<unknown, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= KEPT) return
    map.delete(key)
  }
}
