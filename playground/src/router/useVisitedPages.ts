import { useState } from "react"
import type { PageId } from "./pages.ts"

/** The pages that were open since the document was loaded: they are kept, so that what a person did there is there again. */
export function useVisitedPages(current: PageId): ReadonlySet<PageId> {
  const [visited, setVisited] = useState<ReadonlySet<PageId>>(() => new Set([current]))
  if (visited.has(current)) return visited
  const next = new Set(visited).add(current)
  setVisited(next)
  return next
}
