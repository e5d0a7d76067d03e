import { type JSX, type ReactNode, useDeferredValue, useEffect, useInsertionEffect, useMemo, useState } from "react"
import { type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import type { SessionClient } from "../session/sessionClient.ts"
import { type CommitBeacon, createCommitBeacon } from "./commitBeacon.ts"
import { createLatest } from "./latest.ts"
import { noticeSecondCopy, SessionContext } from "./sessionContext.ts"

export interface SessionProviderProps {
  /** From `createSessionClient`; make it once, outside of components. */
  readonly client: SessionClient
  /**
   * Hears what goes wrong in the background: lost streams, failed pings and answers, tools left out. May be another function at each
   * render.
   * @default `console.error`
   */
  readonly onError?: ErrorHandler | undefined
  readonly children?: ReactNode
}

/** Renders nothing; see `CommitBeacon`. */
function CommitBeaconLight({ beacon }: { readonly beacon: CommitBeacon }): null {
  const [asked, setAsked] = useState(0)
  // Rendered after every transition that was there before it.
  const reached = useDeferredValue(asked)
  useEffect(() => beacon.mount(setAsked), [beacon])
  useEffect(() => beacon.reached(reached), [beacon, reached])
  return null
}

/** Gives the session client to the hooks below it. Renders on the server too, and starts nothing there. */
export function SessionProvider({ client, onError = reportToConsole, children }: SessionProviderProps): JSX.Element {
  const [handler] = useState(() => createLatest<ErrorHandler>(onError))
  const [beacon] = useState(createCommitBeacon)
  useInsertionEffect(() => handler.commit(onError))
  useEffect(noticeSecondCopy, [])
  const value = useMemo(
    () => ({ client, beacon, onError: (error: unknown) => handler.current()(error) }),
    [client, beacon, handler],
  )
  return (
    <SessionContext.Provider value={value}>
      {children}
      {/* Last, so that its effect runs after its siblings'. */}
      <CommitBeaconLight beacon={beacon} />
    </SessionContext.Provider>
  )
}
