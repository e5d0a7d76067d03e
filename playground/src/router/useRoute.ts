import { useMemo, useSyncExternalStore } from "react"
import { type Route, routeOf } from "./pages.ts"

function subscribe(onChange: () => void): () => void {
  window.addEventListener("hashchange", onChange)
  return () => window.removeEventListener("hashchange", onChange)
}

/** Where the page's address leads now. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash)
  return useMemo(() => routeOf(hash), [hash])
}
