/**
 * What happens to the page, as far as a connection cares:
 * - `wake`: the page is looked at or online again; what waits should stop waiting.
 * - `thaw`: the page was frozen or in the back/forward cache; a stream of before is silently dead.
 * - `suspend`: the page goes into the back/forward cache and may come back.
 * - `leave`: the page goes away for good.
 * - `freeze`: the page's code stops running now.
 */
export type PageEvent = "wake" | "thaw" | "suspend" | "leave" | "freeze"

/** Where page events come from; nothing on Node. */
export interface PageLifecycle {
  /** Hears the page's events until the returned function is called. */
  listen(listener: (event: PageEvent) => void): () => void
}

/**
 * The page's own events (HTML Standard, "page visibility" and "page transition"; Page Lifecycle). Only `pagehide` and `pageshow` tell what
 * happens to the page: `beforeunload` may be taken back, and an `unload` listener keeps a page out of the back/forward cache.
 */
export const documentLifecycle: PageLifecycle = {
  listen(listener) {
    if (typeof window === "undefined" || typeof document === "undefined") return () => {}
    const listeners: readonly (readonly [EventTarget, string, (event: Event) => void])[] = [
      [window, "online", () => listener("wake")],
      [document, "visibilitychange", () => document.visibilityState === "visible" && listener("wake")],
      [window, "pageshow", (event) => listener((event as PageTransitionEvent).persisted ? "thaw" : "wake")],
      [document, "resume", () => listener("thaw")],
      [window, "pagehide", (event) => listener((event as PageTransitionEvent).persisted ? "suspend" : "leave")],
      [document, "freeze", () => listener("freeze")],
    ]
    for (const [target, type, handle] of listeners) target.addEventListener(type, handle)
    return () => {
      for (const [target, type, handle] of listeners) target.removeEventListener(type, handle)
    }
  },
}
