import { useEffect, useState, useSyncExternalStore } from "react"
import { callSafely, type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import { createStore } from "../lib/store.ts"
import type { SessionClient } from "../session/sessionClient.ts"
import type { Session } from "../toolClient/session.ts"
import { useSessionContext } from "./sessionContext.ts"

interface Known {
  readonly client: SessionClient
  readonly sessionId: string
  readonly session: Session
}

/** The session that one component has asked for. */
function createSessionHandle() {
  const store = createStore<Known | null>(null, reportToConsole)
  return {
    subscribe: store.subscribe,
    snapshot: () => store.state,
    attach(client: SessionClient, sessionId: string, onError: ErrorHandler): () => void {
      try {
        const { session, release } = client.share(sessionId, { onError })
        store.set({ client, sessionId, session })
        return () => {
          // Released it may close: whoever asks for the same id again must not find it here.
          store.set(null)
          release()
        }
      } catch (error) {
        // An id from an address that can be none: told, and nothing is thrown out of an effect.
        callSafely(onError, error, reportToConsole)
        return () => {}
      }
    },
  }
}

/**
 * Opens the session with this id. Returns `null` on the server, in the first render, and while `sessionId` is missing or the provider's client is
 * loading. An invalid id is reported to `onError`. All components that use one id share one session. It closes when the last of them unmounts, once its
 * calls are answered.
 *
 * @throws Error outside a `SessionProvider`.
 */
export function useSession(sessionId: string | null | undefined): Session | null {
  const { client, onError } = useSessionContext("useSession")
  const [handle] = useState(createSessionHandle)
  useEffect(
    () => (client && sessionId ? handle.attach(client, sessionId, onError) : undefined),
    [handle, client, sessionId, onError],
  )
  const known = useSyncExternalStore(handle.subscribe, handle.snapshot, handle.snapshot)
  // Of another id or client it is the one before; its successor is known after this commit.
  return known && known.client === client && known.sessionId === sessionId ? known.session : null
}
