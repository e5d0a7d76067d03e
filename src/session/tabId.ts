import type { PageEvent } from "../connection/pageLifecycle.ts"
import { randomId } from "../lib/randomId.ts"
import type { AnswerMemory } from "../toolClient/answerMemory.ts"

/** What `randomId` gives, and room for another version's. */
const TAB_ID = /^[\w-]{1,64}$/

const KEY = "react-tool-client:tab"

/** Calls whose beginning is told to the next load at most, the newest: four times as many as a server lets wait. */
export const CALLS_TOLD = 1_000

/** What tells one tab from another and survives a reload. */
export interface TabId {
  readonly value: string
  /** Another page that lives has the same id: this one's is another from now on. */
  renew(): void
  /** Keeps the id for the next load, or takes it back. */
  onPageEvent(event: PageEvent): void
}

/** `sessionStorage` may be missing, or throw where storage is blocked. */
function storage(): Storage | undefined {
  try {
    return globalThis.sessionStorage
  } catch {
    return undefined
  }
}

/**
 * The id is *taken* from the tab's storage, and put back only when the page goes: a duplicated tab copies the storage of a page that
 * lives, finds nothing, and becomes a tab of its own. One that was copied while its page was frozen or put away finds it all the same:
 * the pages find out by superseding each other, and one renews its id.
 *
 * @param memory - Of the page's calls. Behind the id stand those that were begun and perhaps never confirmed: the server may give them to
 * the next load, which must not run them again.
 */
export function takeTabId(baseUrl: string, memory?: Pick<AnswerMemory, "unconfirmed" | "ranBefore">): TabId {
  const key = `${KEY}:${baseUrl}`
  let value: string | undefined
  const take = (): void => {
    try {
      const kept = storage()?.getItem(key)
      storage()?.removeItem(key)
      const [id = "", ...callIds] = kept?.split("\n") ?? []
      // Another script may have written there.
      if (!TAB_ID.test(id)) return
      value ??= id
      memory?.ranBefore(callIds)
    } catch {
      // Blocked storage: a reload is then a new tab, and the ttl ends the old one.
    }
  }
  const keep = (): void => {
    try {
      if (value) storage()?.setItem(key, [value, ...[...(memory?.unconfirmed ?? [])].slice(-CALLS_TOLD)].join("\n"))
    } catch {
      // As above.
    }
  }
  take()
  let taken = (value ??= randomId())
  return {
    get value() {
      return taken
    },
    renew() {
      value = taken = randomId()
    },
    onPageEvent(event) {
      if (event === "leave" || event === "suspend" || event === "freeze") keep()
      else take()
    },
  }
}
