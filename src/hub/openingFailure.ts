import type { Clock } from "../lib/clock.ts"
import { onAbort, withTimeLimit } from "../lib/signals.ts"
import type { OpeningFailure, UpgradeAnswer } from "./openingError.ts"

/** How long the plain request may take that shows whether there is a server at all; the next attempt waits for it. Milliseconds. */
export const LOOK_TIMEOUT_MS = 2_000

/** What classes say of a failed opening, where they say anything: `ws`, Node's own, Deno and Bun. */
interface FailureEvent {
  readonly message?: unknown
  readonly error?: { readonly message?: unknown; readonly code?: unknown; readonly answer?: UpgradeAnswer } | null
}

/** As Node's own class says of everything. */
const SAYS_NOTHING = /non-101/

/** As `ws` writes it. */
const STATUS_IN_TEXT = /server response: (\d{3})\b/

/** What the platform says of it; a browser says nothing, so that no page can look around in its user's network. */
function told(event: unknown): OpeningFailure | undefined {
  const { message, error } = (event ?? {}) as FailureEvent
  if (error?.answer) return { type: "answered", answer: error.answer }
  const text = [error?.message, message, error?.code].find((one) => typeof one === "string" && one !== "") as string | undefined
  if (text === undefined || SAYS_NOTHING.test(text)) return undefined
  const status = STATUS_IN_TEXT.exec(text)?.[1]
  return status === undefined ? { type: "told", message: text } : { type: "answered", answer: { status: Number(status) } }
}

/**
 * One plain request of the address tells a server from none; its status can be read at the page's own origin, and where there is no page. It goes where the
 * WebSocket went, with the same cookies, and is given up when its head has come.
 */
async function look(url: string, clock: Clock, outer: AbortSignal): Promise<OpeningFailure> {
  const address = new URL(url.replace(/^ws/, "http"))
  const { origin = address.origin } = globalThis.location ?? {}
  const mayRead = address.origin === origin
  const controller = new AbortController()
  const stop = onAbort(outer, () => controller.abort(outer.reason))
  try {
    const options: RequestInit = mayRead ? { redirect: "manual" } : { mode: "no-cors" }
    const { status } = await withTimeLimit(clock, LOOK_TIMEOUT_MS, (signal) => fetch(address, { ...options, cache: "no-store", signal }), controller)
    return { type: "server there", status: mayRead ? status : undefined }
  } catch {
    return { type: "nobody there" }
  } finally {
    stop()
    controller.abort()
  }
}

/**
 * Finds out why a WebSocket did not open. Never rejects.
 *
 * @param wasReached - The address is right then, and a hub that comes back need not answer a plain request of each page beside.
 */
export async function openingFailure(url: string, event: unknown, wasReached: boolean, clock: Clock, signal: AbortSignal): Promise<OpeningFailure> {
  const known = told(event)
  if (known) return known
  if (globalThis.navigator?.onLine === false) return { type: "offline" }
  return wasReached ? { type: "was open before" } : look(url, clock, signal)
}
