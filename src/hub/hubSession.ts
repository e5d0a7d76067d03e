import type { ConnectionState } from "../connection/connectionState.ts"
import type { PageEvent } from "../connection/pageLifecycle.ts"
import type { ErrorHandler } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { createStore, type Store } from "../lib/store.ts"
import { createWaiter } from "../lib/waiter.ts"
import { takeTabId, type TabId } from "../session/tabId.ts"
import type { SessionState } from "../toolClient/session.ts"
import { createToolClientRegistry, type ToolClientRegistry } from "../toolClient/toolClientRegistry.ts"
import { createFreedNames } from "./freedNames.ts"
import type { HubLink } from "./hubLink.ts"
import { createHubPort } from "./hubPort.ts"
import type { HubSocket, IncomingCall } from "./hubSocket.ts"
import { keptOut, letIn } from "./keptOut.ts"
import { type HubEvent, REMOTE_EVENTS } from "./messages.ts"
import { RemoteError } from "./remoteError.ts"

export interface HubSessionOptions {
  readonly id: string
  readonly url: string
  readonly link: HubLink
  readonly clock: Clock
  readonly onError: ErrorHandler
}

/** The serving side of a hub client: its tool clients, which are remotes while the socket is open. */
export interface HubSession extends Pick<Store<SessionState>, "state" | "subscribe"> {
  readonly registry: Pick<ToolClientRegistry, "create" | "share" | "delete">
  /** Those of `registry`, for the live panel. */
  readonly clients: ToolClientRegistry
  onCall(socket: HubSocket, call: IncomingCall): void
  onEvent(event: HubEvent): void
  onPageEvent(event: PageEvent): void
  /** Tries at once again: the connection where it waits or has failed, else the names that other remotes had. */
  retry(): void
  /** Disconnects every remote. */
  close(): Promise<void>
}

const stateOf = (id: string, connection: ConnectionState): SessionState => ({ id, ...connection, isRunning: false })

export function createHubSession({ id, url, link, clock, onError }: HubSessionOptions): HubSession {
  const waiter = createWaiter(clock)
  const port = createHubPort({ link, clock, waiter })
  const store = createStore<SessionState>(stateOf(id, link.state), onError)
  let isClosing = false
  let tabId: TabId | undefined

  const registry = createToolClientRegistry({
    port,
    clock,
    waiter,
    // Taken when the first remote is made: storage belongs to a page, not to a module.
    get tab() {
      return (tabId ??= takeTabId(url))
    },
    isOpen: () => link.socket !== undefined,
    failure: () => (link.state.status === "failed" ? link.state.error : undefined),
    onError,
  })

  const freedNames = createFreedNames(clock, (remotename) => letIn(registry, remotename))
  const freed = (remotename: string): void => {
    if (!isClosing && keptOut(registry).some(({ client }) => client.name === remotename)) freedNames.freed(remotename)
  }

  link.subscribe((state) => {
    const before = store.state.status
    store.set(stateOf(id, state))
    if (before === "open") onLost()
    if (state.status === "failed") registry.forEach((client) => client.sessionFailed(state.error))
    if (before === "failed" && state.status === "reconnecting") registry.forEach((client) => client.sessionRetried())
    if (state.status !== "open") return
    waiter.wake()
    registry.forEach((client) => client.opened())
    // Who had the name may have gone while nobody could say so here.
    for (const { client } of keptOut(registry)) freed(client.name)
  })

  /** With the socket the hub has disconnected all that it served and failed what was called over it. */
  function onLost(): void {
    freedNames.clear()
    for (const callId of port.lost()) registry.cancelCall(callId, "the connection that brought the call was lost")
    registry.forEach((client) => client.pageBack())
  }

  const refuseWhenClosed = (): void => {
    if (isClosing) throw new RemoteError("closed", "The hub client is closed; create another before creating tool clients.")
  }

  return {
    get state() {
      return store.state
    },
    subscribe: store.subscribe,
    clients: registry,
    registry: {
      create(name, options) {
        refuseWhenClosed()
        return registry.create(name, options)
      },
      share(name, options) {
        refuseWhenClosed()
        return registry.share(name, options)
      },
      delete(client) {
        // Only of one that is ours: `registry.delete` refuses any other.
        registry.forEach((control) => control.client === (client.actual ?? client) && port.abandonCalls(control))
        return registry.delete(client)
      },
    },
    onCall(socket, call) {
      const ours = port.receive(socket, call)
      if (ours) registry.dispatch(ours.clientId, ours.dispatch)
    },
    onEvent({ action, remotename }) {
      if (remotename === undefined) return
      if (action === REMOTE_EVENTS.connected) freedNames.taken(remotename)
      if (action !== REMOTE_EVENTS.disconnected) return
      const clientId = port.disconnected(remotename)
      // Another session took it off: it has left, and does not fight for its name.
      if (clientId !== undefined) registry.forEach((control) => control.ids.has(clientId) && void registry.delete(control.client).catch(onError))
      // The name may be one that a client waits for.
      else waiter.wake()
      freed(remotename)
    },
    onPageEvent(event) {
      tabId?.onPageEvent(event)
      switch (event) {
        case "suspend":
        case "leave":
          return link.suspend()
        case "thaw":
          waiter.wake()
          return link.connect()
        case "wake":
          waiter.wake()
          link.wake()
          return link.probe()
        case "freeze":
          return
        default:
          return event satisfies never
      }
    },
    retry() {
      link.retry()
      if (link.state.status === "open") for (const { client } of keptOut(registry)) letIn(registry, client.name)
    },
    async close() {
      isClosing = true
      freedNames.clear()
      registry.forEach((control) => port.abandonCalls(control))
      await registry.deleteAll()
    },
  }
}
