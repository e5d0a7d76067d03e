import { backOffDelay } from "../lib/backOff.ts"
import type { ErrorHandler } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { errorText } from "../lib/errorText.ts"
import { createStore, type Store } from "../lib/store.ts"
import { STREAM_SILENCE_MS } from "../wire/limits.ts"
import type { SessionEvent } from "../wire/messages.ts"
import { parseEvent } from "../wire/parseEvent.ts"
import { isRetryable, SessionError } from "../wire/sessionError.ts"
import type { StreamRequest } from "../wire/transport.ts"
import { CONNECTING, type ConnectionState, nextConnectionState } from "./connectionState.ts"

/** A stream that is not open by then is given up, and the likely cause is told. */
export const OPEN_TIMEOUT_MS = 10_000

/** A stream has proven itself when it was open this long; only then does the back-off begin anew. */
export const PROVEN_AFTER_MS = 5_000

/** A return of the page tells of itself several times (`resume`, `visibilitychange`, `pageshow`); an attempt this young is not replaced again. */
export const FRESH_ATTEMPT_MS = 1_000

/** How often an open stream is looked at: a machine that has slept finds out by the first look after it. */
export const WATCH_INTERVAL_MS = 5_000

const EVENT_STREAM: StreamWords = {
  name: "event stream",
  notOpenBecause:
    "Likely a proxy that buffers, a server that hangs or compiles, or six open tabs over HTTP/1.1, a browser's limit for one host (serve HTTP/2).",
}

/** How the messages call what is opened. */
export interface StreamWords {
  readonly name: string
  /** A sentence with the likely cause when it does not open in time. */
  readonly notOpenBecause: string
}

export interface ConnectionOptions {
  readonly clock: Clock
  /** Runs one stream with a token of the session's; asks for a new one on 401. */
  openStream(request: Omit<StreamRequest, "token" | "path">): Promise<void>
  /** `undefined` for an event that only shows life. */
  onEvent(event: SessionEvent | undefined): void
  readonly onError: ErrorHandler
  /** @default the session's event stream */
  readonly words?: StreamWords
}

/** The session's event stream as a store: opened, watched, and opened again for as long as it takes. */
export interface Connection extends Pick<Store<ConnectionState>, "state" | "subscribe"> {
  /** Opens the first stream, or another one in place of the one there is: it may be dead without saying so. */
  connect(): void
  /** Ends a wait between two attempts, and replaces a stream that has been silent too long. */
  wake(): void
  /** Closes the stream until `connect()`: the page is put away. */
  suspend(): void
  /** Connects again at once from `reconnecting` or `failed`; nothing from `open`. */
  retry(): void
  /** Ends for good because the server refused something final. */
  fail(error: SessionError): void
  close(): void
}

export function createConnection({ clock, openStream, onEvent, onError, words = EVENT_STREAM }: ConnectionOptions): Connection {
  const store = createStore(CONNECTING, onError)
  const apply = (event: Parameters<typeof nextConnectionState>[1]): void => store.set(nextConnectionState(store.state, event))
  const is = (status: ConnectionState["status"]): boolean => store.state.status === status

  let attempts = 0
  let attemptedAt = 0
  let lastBytesAt = 0
  let lastEventId: string | undefined
  /** The stream there is, open or not; each attempt has its own. */
  let stream: AbortController | undefined
  let retryTimer: unknown

  function stop(): void {
    clock.clearTimeout(retryTimer)
    retryTimer = undefined
    const ended = stream
    stream = undefined
    ended?.abort()
  }

  function suspend(): void {
    stop()
    if (is("open")) apply({ type: "lost" })
  }

  function fail(error: SessionError): void {
    if (is("closed") || is("failed")) return
    stop()
    apply({ type: "refused", error })
    onError(error)
  }

  function start(): void {
    suspend()
    attemptedAt = clock.now()
    const current = new AbortController()
    stream = current

    /** This stream has ended; one that was replaced meanwhile has nothing to say any more. */
    function end(error: SessionError, isExpected = false): void {
      if (stream !== current) return
      if (!isRetryable(error)) return fail(error)
      stream = undefined
      current.abort()
      retryTimer = clock.setTimeout(start, backOffDelay(clock, attempts++, error.retryAfterMs))
      apply({ type: "lost", error })
      if (!isExpected) onError(error)
    }
    const lose = (message: string, isExpected = false): void => end(new SessionError("network", message), isExpected)

    let watch = clock.setTimeout(() => lose(`The ${words.name} was not open within ${OPEN_TIMEOUT_MS / 1000} s. ${words.notOpenBecause}`), OPEN_TIMEOUT_MS)
    let proven: unknown
    let isProven = false
    current.signal.addEventListener("abort", () => {
      clock.clearTimeout(watch)
      clock.clearTimeout(proven)
    })

    function watchSilence(): void {
      // A clock that was set back must not make a dead stream look alive until it has caught up.
      lastBytesAt = Math.min(lastBytesAt, clock.now())
      const left = STREAM_SILENCE_MS - (clock.now() - lastBytesAt)
      if (left <= 0) lose(`The ${words.name} was silent for ${STREAM_SILENCE_MS / 1000} s.`)
      else watch = clock.setTimeout(watchSilence, Math.min(left, WATCH_INTERVAL_MS))
    }

    openStream({
      lastEventId,
      signal: current.signal,
      onOpen() {
        if (stream !== current) return
        lastBytesAt = clock.now()
        clock.clearTimeout(watch)
        watchSilence()
        proven = clock.setTimeout(() => {
          attempts = 0
          isProven = true
        }, PROVEN_AFTER_MS)
        apply({ type: "opened" })
      },
      onBytes: () => (lastBytesAt = clock.now()),
      onEvent(raw) {
        if (stream !== current) return
        try {
          onEvent(parseEvent(raw))
        } catch (error) {
          onError(error)
        }
      },
      onId(id) {
        if (stream === current) lastEventId = id
      },
    }).then(
      // A good stream ends with its token, and when its server stops: that is no error, only the sign to open the next.
      () => lose(`The server ended the ${words.name}.`, isProven),
      (error: unknown) => end(error instanceof SessionError ? error : new SessionError("refused", errorText(error), { cause: error })),
    )
  }

  function connect(): void {
    const isFresh = stream && !is("open") && Math.abs(clock.now() - attemptedAt) < FRESH_ATTEMPT_MS
    if (!is("closed") && !is("failed") && !isFresh) start()
  }

  return {
    get state() {
      return store.state
    },
    subscribe: store.subscribe,
    connect,
    suspend,
    fail,
    wake() {
      if (retryTimer !== undefined || (is("open") && clock.now() - lastBytesAt >= STREAM_SILENCE_MS)) connect()
    },
    retry() {
      if (!is("failed") && retryTimer === undefined) return
      apply({ type: "retried" })
      connect()
    },
    close() {
      stop()
      apply({ type: "closed" })
    },
  }
}
