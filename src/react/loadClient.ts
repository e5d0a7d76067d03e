import { backOffDelay } from "../lib/backOff.ts"
import { callSafely, type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import { onAbort } from "../lib/signals.ts"
import type { SessionClient } from "../session/sessionClient.ts"

/** Loads a session client, or a module whose default export it is, as `React.lazy` does: `() => import("./sessionClient")`. */
export type LoadClient = () => Promise<SessionClient | { readonly default: SessionClient }>

/** @throws TypeError for what is no session client: modules that import one another, and loaders, give anything. */
export function checkClient(client: unknown): asserts client is SessionClient {
  if ((client as Partial<SessionClient> | null | undefined)?.share) return
  throw new TypeError('SessionProvider needs a session client, or () => import("./sessionClient") of a file that says export default createSessionClient(...)')
}

/** A page's own chance and timers: the session client, whose clock could be another, is not there yet. */
const pause = (attempt: number, unwanted: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, backOffDelay(Math, attempt))
    onAbort(unwanted, () => {
      clearTimeout(timer)
      resolve()
    })
  })

/**
 * Loads until it is there, or nobody wants it: a file that could not be fetched is asked for again, with a growing wait, and each failure is told.
 *
 * @returns what gives it up
 */
export function loadClient(load: LoadClient, onLoaded: (client: SessionClient) => void, onError: ErrorHandler): () => void {
  const unwanted = new AbortController()
  const isUnwanted = (): boolean => unwanted.signal.aborted

  async function run(): Promise<void> {
    for (let attempt = 0; !isUnwanted(); attempt++) {
      try {
        // Read as if nothing were known, like all that is loaded.
        const loaded = (await load()) as SessionClient & { readonly default?: unknown } | null | undefined
        const client = loaded?.default ?? loaded
        checkClient(client)
        if (!isUnwanted()) onLoaded(client)
        return
      } catch (error) {
        if (isUnwanted()) return
        callSafely(onError, error, reportToConsole)
        await pause(attempt, unwanted.signal)
      }
    }
  }

  void run()
  return () => unwanted.abort()
}
