import { platformWebSocket } from "#webSocket"
import { type Connection, createConnection } from "../connection/connection.ts"
import type { ErrorHandler } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { createDeferred } from "../lib/deferred.ts"
import { onAbort } from "../lib/signals.ts"
import { SessionError } from "../wire/sessionError.ts"
import { CREDENTIALS_WANTED, type HubAuth, isCredentials } from "./hubOptions.ts"
import { createHubSocket, type HubSocket, type IncomingCall } from "./hubSocket.ts"
import { AUTHENTICATE_TIMEOUT_MS, type Credentials, type HubEvent } from "./messages.ts"
import { openingError } from "./openingError.ts"
import { openingFailure } from "./openingFailure.ts"
import { RemoteError } from "./remoteError.ts"
import { releaseProcess, socketUrl, type WebSocketClass } from "./webSocket.ts"

/** With nothing heard for this long the hub is asked for its list (docs/HUB-PROTOCOL.md, "Liveness"). */
export const PROBE_AFTER_MS = 20_000

/** A probe that is not answered by then: the socket is dead without saying so, and another takes its place. */
export const PROBE_TIMEOUT_MS = 10_000

/** The client's own end, told apart from a cut (RFC 6455 §7.4.1). */
const NORMAL_CLOSURE = 1000

const WORDS = {
  name: "connection to the hub",
  notOpenBecause: "Likely a wrong url, a proxy that does not pass WebSockets on, or a hub that does not answer.",
}

export interface HubLinkOptions {
  readonly url: string
  readonly auth: HubAuth
  readonly WebSocket: WebSocketClass | undefined
  readonly clock: Clock
  onCall(socket: HubSocket, call: IncomingCall): void
  onEvent(event: HubEvent): void
  readonly onError: ErrorHandler
}

/** The connection to the hub as a store, with the socket that is open and authenticated right now. */
export interface HubLink extends Connection {
  readonly socket: HubSocket | undefined
  /** The open socket, waited for. Rejects with a RemoteError when none can be had. */
  whenOpen(...signals: readonly (AbortSignal | undefined)[]): Promise<HubSocket>
  /** Asks the hub for a sign of life if it has been silent for a while. */
  probe(): void
}

export function createHubLink(options: HubLinkOptions): HubLink {
  const { clock, auth, onError } = options
  let epoch = 0
  let socket: HubSocket | undefined
  let refusals = 0
  /** A hub that was reached once is where it should be. */
  let wasReached = false
  let probe: (() => void) | undefined

  async function credentials(): Promise<Credentials> {
    let given: Credentials
    try {
      given = typeof auth === "function" ? await auth() : auth
    } catch (cause) {
      const isFinal = (cause as Partial<SessionError> | null | undefined)?.code === "unauthorized"
      throw new SessionError(isFinal ? "unauthorized" : "token", `No credentials for the hub: ${String(cause)}`, { cause })
    }
    if (isCredentials(given)) return given
    throw new SessionError("token", `The function auth gave no credentials for the hub: ${CREDENTIALS_WANTED}.`)
  }

  function urlOfSocket(): string {
    try {
      return socketUrl(options.url)
    } catch (cause) {
      throw new SessionError("refused", `The url "${options.url}" is relative, and there is no page here; pass createHubClient an absolute url.`, { cause })
    }
  }

  async function authenticate(opened: HubSocket): Promise<void> {
    const given = await credentials()
    try {
      await opened.ask("authenticate", given, { timeLimitMs: AUTHENTICATE_TIMEOUT_MS, isBackground: true })
      refusals = 0
      wasReached = true
    } catch (cause) {
      const { code, message } = cause as RemoteError
      if (code !== "failed") throw new SessionError("network", message, { cause })
      // Credentials that are asked for may have been stale once.
      const isFinal = typeof auth !== "function" || ++refusals > 1
      throw new SessionError(isFinal ? "unauthorized" : "token", `The hub refused the credentials: ${message}`, { cause })
    }
  }

  /** One socket from its opening to its end. */
  async function runSocket(signal: AbortSignal, onOpen: () => void, onInbound: () => void): Promise<void> {
    const ended = createDeferred<void>()
    const lose = (message: string, cause?: unknown): void => ended.reject(new SessionError("network", message, { cause }))
    const url = urlOfSocket()
    const WebSocket = options.WebSocket ?? (await platformWebSocket())
    if (signal.aborted) return
    const webSocket = new WebSocket(url)
    const mine = createHubSocket({
      webSocket,
      epoch: ++epoch,
      clock,
      onCall: (call) => options.onCall(mine, call),
      onEvent: options.onEvent,
      onError,
    })
    let probeTimer: unknown
    let isOver = false
    let isOpened = false
    let isExplained = false

    async function explain(event: unknown): Promise<void> {
      if (isExplained) return
      isExplained = true
      const failure = await openingFailure(url, event, wasReached, clock, signal)
      ended.reject(openingError(url, failure, (event as { readonly error?: unknown } | null)?.error))
    }

    async function probeNow(): Promise<void> {
      clock.clearTimeout(probeTimer)
      try {
        await mine.ask("remote-list", undefined, { timeLimitMs: PROBE_TIMEOUT_MS, isBackground: true })
      } catch (error) {
        // An error, too, is a sign of life.
        if ((error as RemoteError).code === "timeout") lose(`The hub was silent for ${(PROBE_AFTER_MS + PROBE_TIMEOUT_MS) / 1000} s.`)
      }
      watch()
    }
    const leftUntilProbe = (): number => PROBE_AFTER_MS - Math.max(0, clock.now() - mine.lastInboundAt)
    function watch(): void {
      clock.clearTimeout(probeTimer)
      if (isOver) return
      probeTimer = clock.setTimeout(() => (leftUntilProbe() <= 0 ? void probeNow() : watch()), Math.max(leftUntilProbe(), 0))
    }

    const opened = createDeferred<void>()
    webSocket.onopen = () => {
      releaseProcess(webSocket)
      isOpened = true
      opened.resolve()
    }
    webSocket.onerror = (event: { readonly message?: string; readonly error?: unknown }) =>
      isOpened ? lose(`The WebSocket to the hub failed${event.message ? `: ${event.message}` : ""}.`, event.error) : void explain(event)
    webSocket.onclose = (event: { readonly code?: number; readonly reason?: string }) =>
      isOpened ? lose(`The WebSocket to the hub was closed (${[event.code, event.reason].filter(Boolean).join(": ")}).`) : void explain(event)
    webSocket.onmessage = ({ data }: { readonly data: unknown }) => {
      if (isOver || signal.aborted) return
      onInbound()
      mine.receive(data)
    }
    const stopListening = onAbort(signal, () => ended.resolve())
    try {
      await Promise.race([opened.promise.then(() => authenticate(mine)), ended.promise])
      if (signal.aborted) return
      socket = mine
      probe = () => {
        if (leftUntilProbe() <= 0) void probeNow()
      }
      onOpen()
      watch()
      await ended.promise
    } finally {
      isOver = true
      stopListening()
      clock.clearTimeout(probeTimer)
      if (socket === mine) {
        socket = undefined
        probe = undefined
      }
      mine.end()
      // One that is still connecting cannot be closed without an error, which nobody needs to hear.
      webSocket.onerror = () => {}
      webSocket.close(NORMAL_CLOSURE)
    }
  }

  const connection = createConnection({
    clock,
    onEvent() {},
    onError,
    words: WORDS,
    openStream: ({ signal, onOpen, onBytes }) => runSocket(signal, onOpen, () => onBytes()),
  })

  return {
    ...connection,
    get state() {
      return connection.state
    },
    get socket() {
      return connection.state.status === "open" ? socket : undefined
    },
    async whenOpen(...signals) {
      const { promise, resolve, reject } = createDeferred<HubSocket>()
      const look = (): void => {
        const { status, error } = connection.state
        if (status === "open" && socket) resolve(socket)
        if (status === "failed" || status === "closed") {
          reject(new RemoteError("closed", error ? `The hub cannot be reached: ${error.message}` : "The hub client is closed.", { cause: error }))
        }
      }
      const unsubscribe = connection.subscribe(look)
      const stops = signals.map((signal) =>
        onAbort(signal, () => reject(new RemoteError("aborted", "Aborted before the hub was reached.", { cause: signal?.reason }))),
      )
      look()
      return promise.finally(() => {
        unsubscribe()
        for (const stop of stops) stop()
      })
    },
    probe: () => probe?.(),
  }
}
