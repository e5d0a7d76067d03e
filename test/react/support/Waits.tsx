import { type ReactNode, use } from "react"

const done = new WeakSet<Promise<void>>()

/** Suspends until the promise is done; React 18 knows no `use`. */
export function Waits({ until, children }: { readonly until: Promise<void> | undefined; readonly children?: ReactNode }) {
  if (until && typeof use === "function") use(until)
  else if (until && !done.has(until)) throw until.then(() => done.add(until))
  return children
}
