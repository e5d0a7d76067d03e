import type { ConnectionState } from "../connection/connectionState.ts"
import { createConnection } from "../connection/connection.ts"
import type { PageEvent } from "../connection/pageLifecycle.ts"
import type { ErrorHandler } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { createStore } from "../lib/store.ts"
import { createWaiter } from "../lib/waiter.ts"
import type { Session, SessionState } from "../toolClient/session.ts"
import type { AnswerMemory } from "../toolClient/answerMemory.ts"
import { createToolClientRegistry, type RegistryOptions } from "../toolClient/toolClientRegistry.ts"
import type { SessionEvent } from "../wire/messages.ts"
import { SessionError } from "../wire/sessionError.ts"
import type { Transport } from "../wire/transport.ts"
import { createAuthorizedRequests, type GetToken } from "./authorizedRequests.ts"
import { createSessionPort } from "./sessionPort.ts"

export interface SessionSetup {
  readonly id: string
  readonly transport: Transport
  readonly clock: Clock
  readonly getToken: GetToken
  readonly memory: AnswerMemory
  /** See `RegistryOptions`. */
  readonly tab: RegistryOptions["tab"]
  /** Asks nobody for anything: it is closed as soon as it is there. */
  readonly isStillborn: boolean
  readonly onError: ErrorHandler
  /** The session begins to close: nobody may share it any more. */
  onClosing(): void
  /** The session is closed and holds nothing any more. */
  onClosed(): void
}

/** A page whose code ran this recently did not sleep: what was due before its last event has been looked at. */
const AWAKE_MS = 100

/** The end that the session client holds. */
export interface SessionControl {
  readonly session: Session
  onPageEvent(event: PageEvent): void
  /** Closes when the tool clients that are being released have answered their calls and are gone; `stay` takes it back. */
  closeWhenIdle(): void
  stay(): void
}

const stateOf = (id: string, connection: ConnectionState): SessionState => ({ id, ...connection, isRunning: false })

/** One session over a transport: its stream, its tool clients, its state. */
export function openSession(setup: SessionSetup): SessionControl {
  const { id, transport, clock, onError } = setup
  const path = `/v1/sessions/${encodeURIComponent(id)}`
  const waiter = createWaiter(clock)
  let isClosing = false
  let isReleased = false
  let wokeAt = -Infinity

  const requests = createAuthorizedRequests(transport, clock, () => setup.getToken(id), (error) => {
    if (!isClosing) connection.fail(error)
  })

  const connection = createConnection({
    clock,
    openStream: (request) => requests.stream({ ...request, path: `${path}/events` }),
    onEvent,
    onError,
  })

  const registry = createToolClientRegistry({
    port: createSessionPort(requests, path),
    clock,
    waiter,
    memory: setup.memory,
    tab: setup.tab,
    isOpen: () => connection.state.status === "open",
    onError,
    failure: () => (connection.state.status === "failed" ? connection.state.error : undefined),
    onEmpty: () => queueMicrotask(closeIfIdle),
  })

  const store = createStore<SessionState>(stateOf(id, connection.state), onError)

  connection.subscribe((state) => {
    const before = store.state.status
    store.set(stateOf(id, state))
    if (state.status === "failed") {
      // Whoever has heard of it may have retried or closed already, and that was told.
      registry.forEach((client) => connection.state === state && client.sessionFailed(state.error))
    }
    if (before === "failed" && state.status === "reconnecting") registry.forEach((client) => client.sessionRetried())
    if (state.status !== "open") return
    waiter.wake()
    registry.forEach((client) => client.opened())
  })

  function onEvent(event: SessionEvent | undefined): void {
    switch (event?.type) {
      case "tool_call.dispatched": {
        const { call_id, client_id, tool, arguments: args, deadline_ms } = event.data
        registry.dispatch(client_id, { callId: call_id, tool, arguments: args, deadlineMs: deadline_ms })
        break
      }
      case "tool_call.cancelled":
        registry.cancelCall(event.data.call_id, `it was cancelled (${event.data.reason})`)
        break
      case "tool_call.settled":
        if (event.data.reason !== "answered") registry.cancelCall(event.data.call_id, `it was settled without its answer (${event.data.reason})`)
        break
      case "tool_client.deleted":
        registry.superseded(event.data.client_id)
        break
      case "session.running":
        if (store.state.status === "open" && store.state.isRunning !== event.data.running) {
          store.set({ ...store.state, isRunning: event.data.running })
        }
        break
      default:
        // Of other processes' tool clients, or only a sign of life.
        break
    }
    // An event is when the page's code surely runs, however much its timers are throttled. Of many at once, the first is enough.
    const now = clock.now()
    if (Math.abs(now - wokeAt) < AWAKE_MS) return
    wokeAt = now
    registry.forEach((client) => client.woke())
  }

  function closeIfIdle(): void {
    if (isReleased && registry.size === 0) void session.close()
  }

  const refuseWhenClosed = (): void => {
    if (isClosing) throw new SessionError("closed", `The session "${id}" is closed; open it again before creating tool clients.`)
  }

  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    isClosing = true
    setup.onClosing()
    await registry.deleteAll()
    requests.abort()
    connection.close()
    setup.onClosed()
  }

  const session: Session = {
    get state() {
      return store.state
    },
    subscribe: store.subscribe,
    createToolClient(name, options) {
      refuseWhenClosed()
      return registry.create(name, options)
    },
    registry,
    deleteToolClient: (client) => registry.delete(client),
    shareToolClient(name, options) {
      refuseWhenClosed()
      return registry.share(name, options)
    },
    retry: () => connection.retry(),
    close: () => (closing ??= close()),
  }

  if (!setup.isStillborn) connection.connect()

  return {
    session,
    onPageEvent(event) {
      switch (event) {
        case "suspend":
        case "leave":
          registry.forEach((client) => client.pageGoes(event === "leave" ? { leaving: true } : { suspended: true }))
          return connection.suspend()
        case "thaw":
          registry.forEach((client) => client.pageBack())
          waiter.wake()
          return connection.connect()
        case "wake":
          waiter.wake()
          connection.wake()
          return registry.forEach((client) => client.woke(true))
        case "freeze":
          return
        default:
          return event satisfies never
      }
    },
    closeWhenIdle() {
      isReleased = true
      queueMicrotask(closeIfIdle)
    },
    stay() {
      isReleased = false
    },
  }
}
