import { type JSX, type ReactNode, useDeferredValue, useEffect, useImperativeHandle, useInsertionEffect, useMemo, useState } from "react"
import { type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import type { SessionClient } from "../session/sessionClient.ts"
import { type CommitBeacon, createCommitBeacon } from "./commitBeacon.ts"
import { createLatest } from "./latest.ts"
import { checkClient, loadClient, type LoadClient } from "./loadClient.ts"
import { noticeSecondCopy, SessionContext } from "./sessionContext.ts"

export interface SessionProviderProps {
  /**
   * From `createSessionClient`; make it once, outside of components. Or what loads it once the provider is mounted, so that the client's
   * code is not in the page's first load: `() => import("./sessionClient")`, a file whose default export is the client. Until it is there
   * `useSession` gives `null`, and tools wait. It may be written inline; what it gave once stays. `null` is a client that is not known yet.
   */
  readonly client: SessionClient | LoadClient | null
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
  // Taken back when it is hidden along with a sibling that suspends; on the server a layout effect would warn.
  useImperativeHandle(beacon.light, () => setAsked, [])
  useEffect(() => beacon.reached(reached), [beacon, reached])
  return null
}

/**
 * Gives the session client to the hooks below it. Renders on the server too, and starts nothing there.
 *
 * @throws TypeError for a client that is none, such as `undefined` from a module that imports itself.
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
    return isLoader && typeof load === "function" ? loadClient(load, setLoaded, report) : undefined
  }, [given, isLoader, report])
  const value = useMemo(() => ({ client: known, beacon, onError: report }), [known, beacon, report])
  return (
    <SessionContext.Provider value={value}>
      {children}
      {/* Last, so that its effect runs after its siblings'. */}
      <CommitBeaconLight beacon={beacon} />
    </SessionContext.Provider>
  )
}
