import { documentLifecycle } from "../connection/pageLifecycle.ts"
import { callSafely, type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import { type Clock, systemClock } from "../lib/clock.ts"
import { expectOptional, expectType, shown } from "../lib/expectType.ts"
import { notice } from "../lib/notice.ts"
import { parseUrl } from "../lib/parseUrl.ts"
import { onAbort } from "../lib/signals.ts"
import { unknownOptions } from "../lib/unknownOptions.ts"
import { createAnswerMemory } from "../toolClient/answerMemory.ts"
import type { Session } from "../toolClient/session.ts"
import { createHttpTransport } from "../wire/httpTransport.ts"
import type { GetToken } from "./authorizedRequests.ts"
import { openSession, type SessionControl } from "./session.ts"
import { takeTabId, type TabId } from "./tabId.ts"

export interface SessionClientOptions {
  /** Where the session server's `/v1` begins: `https://agents.example.com`, or `/agents` on the page's own origin. */
  readonly baseUrl: string
  /**
   * Returns a session's token, from your own back end. Called before the first request, and again when the server answers 401, once for all waiting
   * requests. A second 401 makes the session `failed`. If it throws, it is retried with a back-off. If it throws
   * `new SessionError("unauthorized", reason)`, for example because your back end answered 401 or 403, the session is `failed` at once.
   */
  readonly getToken: GetToken
  /** @default the platform's `fetch`; on Node the stream is opened by `node:http`, so that it does not keep the process running */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** @default the machine's clock */
  readonly clock?: Clock | undefined
}

export interface OpenOptions {
  /** Closes the session when it aborts, as `session.close()` does. */
  readonly signal?: AbortSignal | undefined
  /**
   * Receives background errors: a lost stream, an unreadable event, and errors of tool clients without their own handler.
   * @default `console.error`
   */
  readonly onError?: ErrorHandler | undefined
}

/** A session shared by id. The last release closes it, once its tool clients have answered their calls. */
export interface SharedSession {
  readonly session: Session
  /** May be called more than once; shared again within the same tick, nothing was released. */
  release(): void
}

/** Opens sessions at one server. Creating one starts nothing. */
export interface SessionClient {
  /**
   * Opens a session that is not shared. Its stream stays connected until you close it.
   *
   * @throws TypeError for an invalid id.
   */
  open(sessionId: string, options?: OpenOptions): Session
  /**
   * For framework bindings: returns one session per id. The first caller's options apply.
   *
   * @throws TypeError for an invalid id.
   */
  share(sessionId: string, options?: OpenOptions): SharedSession
}

/** A path would be another with it, or cannot hold it: nothing, `.` and `..`, and half a character. */
const NO_SESSION_ID = /^\.{0,2}$|\p{Surrogate}/u

function checkSessionId(id: unknown): void {
  if (typeof id !== "string" || NO_SESSION_ID.test(id)) throw new TypeError(`${shown(id)} is no session's id`)
}

/** An address of its own, or a path of the page's; a mistyped host is no path. */
const BASE_URL_BEGIN = /^(https?:\/\/|\.{0,2}\/|$)/i

/** Whether a path may stand behind it. `fetch` refuses what holds a user's name, and one of the user's own may know other schemes. */
function isBaseUrl(baseUrl: string, hasOwnFetch: boolean): boolean {
  return (hasOwnFetch || BASE_URL_BEGIN.test(baseUrl)) && !/[?#]/.test(baseUrl) && parseUrl(baseUrl, "http://page.invalid")?.username === ""
}

/** @throws TypeError for a missing or invalid option; the message says what it must be. */
export function createSessionClient(options: SessionClientOptions): SessionClient {
  const where = "createSessionClient: "
  expectType(`${where}its options`, options, "an object")
  notice(() => process.env.NODE_ENV !== "production" && unknownOptions("createSessionClient", options, ["baseUrl", "getToken", "fetch", "clock"]))
  const { baseUrl: given, getToken, clock = systemClock, fetch } = options
  expectType(`${where}baseUrl`, given, "a string")
  expectType(`${where}getToken`, getToken, "a function")
  expectOptional(`${where}fetch`, fetch, "a function")
  expectType(`${where}clock`, clock, "an object")
  if (!isBaseUrl(given, !!fetch)) {
    throw new TypeError(`${where}baseUrl must be like https://agents.example.com or /agents, without user, ? and #, not ${shown(given)}`)
  }
  const baseUrl = given.replace(/\/+$/, "")
  const transport = createHttpTransport(baseUrl, fetch)
  const open = new Set<SessionControl>()
  const shared = new Map<string, { readonly control: SessionControl; owners: number }>()
  const memory = createAnswerMemory()
  let tabId: TabId | undefined
  let stopListening: (() => void) | undefined

  /** The page is listened to only while a session is open. */
  function listen(): void {
    stopListening ??= documentLifecycle.listen((event) => {
      tabId?.onPageEvent(event)
      for (const control of open) control.onPageEvent(event)
    })
  }

  function openControl(id: string, openOptions: OpenOptions = {}): SessionControl {
    checkSessionId(id)
    expectType("A session's options", openOptions, "an object")
    notice(() => process.env.NODE_ENV !== "production" && unknownOptions("a session", openOptions, ["signal", "onError"]))
    const { signal, onError = reportToConsole } = openOptions
    expectType("A session's onError", onError, "a function")
    expectOptional("A session's signal", signal, "an object")
    const tab = (tabId ??= takeTabId(baseUrl, memory))
    listen()
    const control = openSession({
      id,
      transport,
      clock,
      getToken,
      memory,
      tab,
      isStillborn: signal?.aborted ?? false,
      onError: (error) => callSafely(onError, error, reportToConsole),
      onClosing() {
        if (shared.get(id)?.control === control) shared.delete(id)
      },
      onClosed() {
        stopWatching()
        open.delete(control)
        if (open.size > 0) return
        stopListening?.()
        stopListening = undefined
      },
    })
    open.add(control)
    const close = (): void => void control.session.close()
    // Not before whoever asked has it: it is taken off there, too.
    const stopWatching = signal?.aborted ? () => {} : onAbort(signal, close)
    if (signal?.aborted) queueMicrotask(close)
    return control
  }

  return {
    open: (id, openOptions) => openControl(id, openOptions).session,
    share(id, openOptions) {
      let entry = shared.get(id)
      if (!entry) {
        entry = { control: openControl(id, openOptions), owners: 0 }
        shared.set(id, entry)
      }
      const mine = entry
      if (mine.owners++ === 0) mine.control.stay()
      let isReleased = false
      return {
        session: mine.control.session,
        release() {
          if (isReleased) return
          isReleased = true
          if (--mine.owners === 0) mine.control.closeWhenIdle()
        },
      }
    },
  }
}
