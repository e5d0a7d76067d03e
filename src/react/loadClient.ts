import { backOffDelay } from "../lib/backOff.ts"
import { callSafely, type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import { systemClock } from "../lib/clock.ts"
import { createWaiter } from "../lib/waiter.ts"
import type { SessionClient } from "../session/sessionClient.ts"

/** Loads a session client: `() => import("./sessionClient").then((module) => module.client)`. */
export type LoadClient = () => Promise<SessionClient>

/** What imports or loads a client may give anything. */
export const isSessionClient = (client: unknown): client is SessionClient =>
  typeof (client as Partial<SessionClient> | null | undefined)?.share === "function"

/**
 * Loads until it is there, or nobody wants it: a file that could not be fetched is asked for again, with a growing wait, and each failure is told.
 *
 * @returns what gives it up
 */
export function loadClient(load: LoadClient, onLoaded: (client: SessionClient) => void, onError: ErrorHandler): () => void {
  const unwanted = new AbortController()
  const waiter = createWaiter(systemClock)
  const isUnwanted = (): boolean => unwanted.signal.aborted

  async function run(): Promise<void> {
    for (let attempt = 0; !isUnwanted(); attempt++) {
      try {
        const client = await load()
        if (!isSessionClient(client)) throw new TypeError("SessionProvider's client loaded no session client: is it missing .then((module) => module.client)?")
        if (!isUnwanted()) onLoaded(client)
        return
      } catch (error) {
        if (isUnwanted()) return
        callSafely(onError, error, reportToConsole)
        await waiter.wait(backOffDelay(systemClock, attempt), unwanted.signal)
      }
    }
  }

  void run()
  return () => unwanted.abort()
}
