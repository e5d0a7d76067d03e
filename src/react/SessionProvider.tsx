import { type JSX, type ReactNode, useDeferredValue, useEffect, useImperativeHandle, useInsertionEffect, useMemo, useState } from "react"
import { type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import type { SessionClient } from "../session/sessionClient.ts"
import { type CommitBeacon, createCommitBeacon } from "./commitBeacon.ts"
import { createLatest } from "./latest.ts"
import { checkClient, loadClient, type LoadClient } from "./loadClient.ts"
import { noticeSecondCopy, SessionContext } from "./sessionContext.ts"
import { CommittedContext } from "./useCommitted.ts"

export interface SessionProviderProps {
  /**
   * The session client: create it once with `createSessionClient`, outside of components. Or a function that loads it after the provider has mounted,
   * to keep its code out of the first load: `() => import("./sessionClient")`, a file whose default export is the client. Until it has loaded, `useSession`
   * returns `null` and tools wait. The function may be inline; it is used once. `null` means that the client is not known yet.
   */
  readonly client: SessionClient | LoadClient | null
  /**
   * Receives background errors: lost streams, failed pings and answers, refused tools. May be inline.
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
  // Taken back when it is hidden along with a sibling that suspends; on the server a layout effect would warn.
  useImperativeHandle(beacon.light, () => setAsked, [])
  useEffect(() => beacon.reached(reached), [beacon, reached])
  return null
}

/**
 * Provides the session client to the hooks below it. On the server it renders but starts nothing.
 *
 * @throws TypeError if `client` is not a session client, for example `undefined` because of a circular import.
 */
export function SessionProvider({ client, onError = reportToConsole, children }: SessionProviderProps): JSX.Element {
  const [given] = useState(() => createLatest(client))
  const [handler] = useState(() => createLatest<ErrorHandler>(onError))
  const [report] = useState<ErrorHandler>(() => (error: unknown) => handler.current()(error))
  const [beacon] = useState(createCommitBeacon)
  const [loaded, setLoaded] = useState<SessionClient | null>(null)
  const isLoader = typeof client === "function"
  if (!isLoader && client !== null) checkClient(client)
  const known = isLoader ? loaded : client
  useInsertionEffect(() => {
    given.commit(client)
    handler.commit(onError)
  })
  useEffect(noticeSecondCopy, [])
  useEffect(() => {
    const load = given.current()
    // Shown again by Activity, it has what was loaded.
    return isLoader && !loaded && typeof load === "function" ? loadClient(load, setLoaded, report) : undefined
  }, [given, isLoader, loaded, report])
  const value = useMemo(() => ({ client: known, onError: report }), [known, report])
  return (
    <CommittedContext.Provider value={beacon.committed}>
      <SessionContext.Provider value={value}>
        {children}
        {/* Last, so that its effect runs after its siblings'. */}
        <CommitBeaconLight beacon={beacon} />
      </SessionContext.Provider>
    </CommittedContext.Provider>
  )
}
