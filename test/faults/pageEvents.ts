import { vi } from "vitest"

/** The events of a page in front of the client, which on Node has none. Taken away again by `vi.unstubAllGlobals()`. */
export interface PageEvents {
  /** `visibilitychange` to visible: the page is looked at again. */
  looked(): void
  online(): void
  /** Goes away for good, or into the back/forward cache. */
  hidden(isPersisted: boolean): void
  shown(isPersisted: boolean): void
  frozen(): void
  resumed(): void
}

/** @param stored - The tab's storage, for another page of the same tab. */
export function stubPage(stored = new Map<string, string>()): PageEvents {
  const window = new EventTarget()
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" })
  vi.stubGlobal("window", window)
  vi.stubGlobal("document", document)
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  })
  const tell = (target: EventTarget, type: string, more: object = {}): void => void target.dispatchEvent(Object.assign(new Event(type), more))
  return {
    looked: () => tell(document, "visibilitychange"),
    online: () => tell(window, "online"),
    hidden: (persisted) => tell(window, "pagehide", { persisted }),
    shown: (persisted) => tell(window, "pageshow", { persisted }),
    frozen: () => tell(document, "freeze"),
    resumed: () => tell(document, "resume"),
  }
}
