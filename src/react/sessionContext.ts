import { createContext, useContext } from "react"
import type { ErrorHandler } from "../lib/callSafely.ts"
import { notice } from "../lib/notice.ts"
import type { SessionClient } from "../session/sessionClient.ts"

export interface SessionContextValue {
  /** `null` while it is being loaded. */
  readonly client: SessionClient | null
  /** The last committed handler's. */
  readonly onError: ErrorHandler
}

export const SessionContext = createContext<SessionContextValue | null>(null)

/** Where the copy of this package that was there first leaves its context. */
const FIRST_COPY = Symbol.for("react-tool-client.context")

function isSecondCopy(): boolean {
  const place = globalThis as { [FIRST_COPY]?: unknown }
  place[FIRST_COPY] ??= SessionContext
  return place[FIRST_COPY] !== SessionContext
}

const TWO_COPIES =
  "this page has two copies of react-tool-client, and hooks of one do not see providers of the other. Make your bundler use one copy (dedupe)."

/** Tells a developer when hooks and providers may miss each other. */
export function noticeSecondCopy(): void {
  if (isSecondCopy()) notice(() => process.env.NODE_ENV !== "production" && TWO_COPIES)
}

/** @throws Error outside a provider, saying why there may be none. */
export function useSessionContext(hook: string): SessionContextValue {
  const value = useContext(SessionContext)
  if (value) return value
  throw new Error(`${hook} needs a <SessionProvider client={...}> above it.${isSecondCopy() ? ` Also, ${TWO_COPIES}` : ""}`)
}
