import { backOffDelay } from "../lib/backOff.ts"
import type { ErrorHandler } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { createStore, type Store } from "../lib/store.ts"
import { STREAM_SILENCE_MS } from "../wire/limits.ts"
import type { SessionEvent } from "../wire/messages.ts"
import { parseEvent } from "../wire/parseEvent.ts"
import { isRetryable, SessionError } from "../wire/sessionError.ts"
import type { StreamRequest } from "../wire/transport.ts"
import { CONNECTING, nextConnectionState, type ConnectionEvent, type ConnectionState } from "./connectionState.ts"

/** A stream that is not open by then is given up, and the likely cause is told. */
export const OPEN_TIMEOUT_MS = 10_000

/** A stream has proven itself when it was open this long; only then does the back-off begin anew. */
export const PROVEN_AFTER_MS = 5_000

/** A return of the page tells of itself several times (`resume`, `visibilitychange`, `pageshow`); an attempt this young is not replaced again. */
export const FRESH_ATTEMPT_MS = 1_000

const LIKELY_CAUSE =
  `no stream was open within ${OPEN_TIMEOUT_MS / 1000} s. The likely cause: a proxy that buffers, a server that does not answer, ` +
  `or over HTTP/1.1 six open tabs, which are all the connections that a browser gives one host (serve HTTP/2)`

export interface ConnectionOptions {
  readonly clock: Clock
  /** Runs one stream with a token of the session's; asks for a new one on 401. */
  openStream(request: Omit<StreamRequest, "token" | "path">): Promise<void>
  onEvent(event: SessionEvent): void
  onError: ErrorHandler
}

/** The session's event stream as a store: opened, watched, and opened again for as long as it takes. */
export interface Connection extends Pick<Store<ConnectionState>, "state" | "subscribe"> {
  /** Opens the first stream. */
  start(): void
  /** Ends a wait between two attempts, and replaces a stream that has been silent too long. */
  wake(): void
  /** Replaces whatever stream there is at once: it may be dead without saying so. */
  replace(): void
  /** Closes the stream until `replace()`: the page is put away. */
  suspend(): void
  /** Connects again at once from `reconnecting` or `failed`; nothing from `open`. */
  retry(): void
  /** Ends for good because the server refused something final. */
  fail(error: SessionError): void
  close(): void
}

export function createConnection(options: ConnectionOptions): Connection {
  const { clock, openStream, onEvent, onError } = options
  const store = createStore(CONNECTING, onError)
  const apply = (event: ConnectionEvent): void => store.set(nextConnectionState(store.state, event))

  let attempts = 0
  let lastEventId: string | undefined
  let lastBytesAt = 0
  let attemptedAt = 0
  let stream: AbortController | undefined
  let retryTimer: unknown

  const stop = (): void => {
    clock.clearTimeout(retryTimer)
    retryTimer = undefined
    const ended = stream
    stream = undefined
    ended?.abort()
  }

  const retryLater = (error: SessionError): void => {
    const delay = backOffDelay(clock, attempts++, error.retryAfterMs)
    retryTimer = clock.setTimeout(connect, delay)
  }

  /** A stream has ended, was cut, or never opened. One that was replaced meanwhile has nothing to say any more. */
  const ended = (current: AbortController, error: SessionError): void => {
    if (stream !== current) return
    stop()
    if (!isRetryable(error)) return fail(error)
    apply({ type: "lost", error })
    onError(error)
    // A subscriber may have closed, retried or suspended meanwhile.
    if (store.state.status === "reconnecting" && !stream && retryTimer === undefined) retryLater(error)
  }

  function connect(): void {
    stop()
    attemptedAt = clock.now()
    const current = new AbortController()
    stream = current
    const isCurrent = (): boolean => stream === current
    const lose = (code: "network" | "bad_stream", message: string): void => ended(current, new SessionError(code, message))

    let watch = clock.setTimeout(() => lose("network", `The event stream could not be opened: ${LIKELY_CAUSE}.`), OPEN_TIMEOUT_MS)
    let proven: unknown
    const silence = (): number => Math.max(0, clock.now() - lastBytesAt)
    const watchSilence = (): void => {
      clock.clearTimeout(watch)
      if (silence() >= STREAM_SILENCE_MS) return lose("network", `The event stream was silent for ${STREAM_SILENCE_MS / 1000} s and was replaced.`)
      watch = clock.setTimeout(watchSilence, STREAM_SILENCE_MS - silence())
    }

    const finish = (error: SessionError): void => {
      clock.clearTimeout(watch)
      clock.clearTimeout(proven)
      ended(current, error)
    }
    current.signal.addEventListener("abort", () => {
      clock.clearTimeout(watch)
      clock.clearTimeout(proven)
    })

    openStream({
      ...(lastEventId !== undefined && { lastEventId }),
      signal: current.signal,
      onOpen() {
        if (!isCurrent()) return
        lastBytesAt = clock.now()
        watchSilence()
        proven = clock.setTimeout(() => {
          attempts = 0
        }, PROVEN_AFTER_MS)
        apply({ type: "opened" })
      },
      onBytes() {
        if (isCurrent()) lastBytesAt = clock.now()
      },
      onEvent(raw) {
        if (!isCurrent()) return
        try {
          const event = parseEvent(raw)
          if (event) onEvent(event)
        } catch (error) {
          onError(error)
        }
      },
      onId(id) {
        if (isCurrent()) lastEventId = id
      },
    }).then(
      () => finish(new SessionError("network", "The server ended the event stream.")),
      (error: unknown) => finish(error instanceof SessionError ? error : new SessionError("network", String(error), { cause: error })),
    )
  }

  function fail(error: SessionError): void {
    stop()
    apply({ type: "refused", error })
  }

  const isOver = (): boolean => store.state.status === "closed" || store.state.status === "failed"

  return {
    get state() {
      return store.state
    },
    subscribe: store.subscribe,
    start: connect,
    wake() {
      if (isOver()) return
      const isSilent = store.state.status === "open" && clock.now() - lastBytesAt >= STREAM_SILENCE_MS
      if (retryTimer !== undefined) connect()
      else if (isSilent) this.replace()
    },
    replace() {
      const isFresh = stream !== undefined && store.state.status !== "open" && Math.abs(clock.now() - attemptedAt) < FRESH_ATTEMPT_MS
      if (isOver() || isFresh) return
      this.suspend()
      connect()
    },
    suspend() {
      stop()
      if (store.state.status === "open") apply({ type: "lost" })
    },
    retry() {
      if (store.state.status === "failed") {
        apply({ type: "retried" })
        attempts = 0
      } else if (retryTimer === undefined) return
      connect()
    },
    fail,
    close() {
      stop()
      apply({ type: "closed" })
    },
  }
}
