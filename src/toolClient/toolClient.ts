import { callSafely, type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { createDeferred } from "../lib/deferred.ts"
import { createStore } from "../lib/store.ts"
import type { Waiter } from "../lib/waiter.ts"
import { backOffDelay } from "../lib/backOff.ts"
import { checkClientName } from "../tool/names.ts"
import type { ToolDeclare } from "../tool/tool.ts"
import type { Lifetime } from "../wire/messages.ts"
import { createAddedTools } from "./addedTools.ts"
import { addCall, changeCall } from "./calls.ts"
import { createDeclaration, type Declaration, type ToolSource } from "./declaration.ts"
import { createDispatcher, type Dispatch } from "./dispatch.ts"
import { checkLifetime, createPinger, DEFAULT_LIFETIME } from "./lifetime.ts"
import { createLocalTools, type LocalTools } from "./localTools.ts"
import type { ToolClientPort } from "./port.ts"
import { createRegistration } from "./registration.ts"
import { JOINING, nextToolClientState, type ToolClientEvent, type ToolClientState } from "./toolClientState.ts"

export interface ToolClientOptions {
  /**
   * How long the server keeps the client without a sign of life. `{ type: "never" }` is for a process that surely deletes it.
   * @default { type: "ttl", data: { seconds: 60 } }, pinged at half of it
   */
  readonly lifetime?: Lifetime | undefined
  /**
   * Hears what failed in the background: a ping, an ack, an answer, a delete, an update, a registration that is tried again, a
   * definition left out. A registration that was refused is told by `ready` and `state.error` only; it is tried again when the set of tools is
   * another one.
   * @default the session's handler, else `console.error`
   */
  readonly onError?: ErrorHandler | undefined
}

/** What one process offers to one session. */
export interface ToolClient {
  /** The name it was created with; `state.name` is the one that the server gave it. */
  readonly name: string
  /** For bindings: the session's own client, where this one only stands for it. */
  readonly actual?: ToolClient | undefined
  /** One immutable snapshot, replaced at each transition. */
  readonly state: ToolClientState
  /**
   * Resolves when the server has accepted the registration; rejects when it refused it, or the client left before. A rejection that
   * nobody awaits is not an unhandled one.
   */
  readonly ready: Promise<void>
  /** Calls `listener` after each transition; returns its unsubscribe. */
  subscribe(listener: (state: ToolClientState) => void): () => void
  /**
   * Offers a tool, or replaces the one of that name that `addTool` offered before. All changes of one tick are one update; a
   * definition that is the same by value only swaps the handler. Nothing after the client has left.
   *
   * @throws ToolDefinitionError at once; the set stays as it was.
   */
  readonly addTool: ToolDeclare<[name: string], void>
  /** Stops offering what `addTool` added; a call already running still answers. */
  removeTool(name: string): void
  /**
   * For bindings: offers whatever `source` holds at each moment, beside others of the same name, of which the one of the highest rank
   * serves. Never throws: a definition that is refused goes to `onError` and is left out. Returns its withdrawal.
   */
  declare(source: ToolSource, name: string): () => void
  /** For bindings: `source` may hold another definition now. */
  touch(source: ToolSource): void
  /**
   * For bindings: what is declared, for callers within the page.
   *
   * @internal
   */
  readonly local: LocalTools
}

/** The end that the session holds. */
export interface ToolClientControl {
  readonly client: ToolClient
  readonly declaration: Declaration
  readonly ids: ReadonlySet<string>
  readonly isRegistering: boolean
  readonly lifetime: Lifetime
  receive(dispatch: Dispatch): void
  cancelCall(callId: string, reason: string): void
  /** The client `id` was deleted: when it is this one, and nobody here has asked for it, another page that lives has the same identity. */
  superseded(id: string): void
  /** The stream is open (again): registers, or makes sure that the server still knows the client. */
  opened(): void
  /** An earlier client of the same name is gone: this one may register. */
  nameFreed(): void
  /** Something woke the page's code: an event of the stream, or the page's or the network's return. */
  woke(isReturn?: boolean): void
  /** The page goes: for good, or into the back/forward cache. */
  pageGoes(word: { readonly leaving: true } | { readonly suspended: true }): void
  /** The page is back from the back/forward cache: registers again. */
  pageBack(): void
  sessionFailed(error: unknown): void
  sessionRetried(): void
  leaveWhenIdle(): void
  stay(): void
  leave(): Promise<void>
  /** For bindings: awaited after `execute`, before its answer; resolves when what the call caused to be rendered is committed. */
  readonly rendering: Set<() => Promise<void>>
}

export interface ToolClientSetup extends ToolClientOptions {
  readonly name: string
  readonly instanceId: string
  /** Gives one that no other page has. */
  renewInstanceId(): string
  readonly loadId: string
  readonly port: ToolClientPort
  readonly clock: Clock
  readonly waiter: Waiter
  mayRegister(): boolean
  onRegistered(): void
  onLeft(): void
}

/** @throws ToolDefinitionError for a name that cannot be one, RangeError for a lifetime that cannot be one. */
export function createToolClient(setup: ToolClientSetup): ToolClientControl {
  const { name, port, clock, waiter } = setup
  checkClientName(name)
  const lifetime = checkLifetime(setup.lifetime ?? DEFAULT_LIFETIME)
  const onError: ErrorHandler = (error) => callSafely(setup.onError ?? reportToConsole, error, reportToConsole)

  const store = createStore<ToolClientState>(JOINING, onError)
  const apply = (event: ToolClientEvent): void => store.set(nextToolClientState(store.state, event))
  const isOver = (): boolean => store.state.status === "leaving" || store.state.status === "left"

  let ready = createDeferred<void>()
  // A process that awaits `ready` is not done, although nothing but timers may run.
  let release = clock.hold()
  const settleReady = (settle: () => void): void => {
    settle()
    release()
  }

  const neverRegistered = new Error(`The tool client "${name}" left before it was registered.`)

  let { instanceId } = setup
  const ids = new Set<string>()
  const rendering = new Set<() => Promise<void>>()
  const declaration = createDeclaration(name, onError)

  const pinger = createPinger(clock, lifetime, async (failures) => {
    const { id } = registration
    if (id === undefined) return undefined
    try {
      await port.ping(id)
      return undefined
    } catch (error) {
      const { kind, retryAfterMs } = port.failureOf(error)
      // What ended the session was told already.
      if (isOver() || store.state.status === "failed") return undefined
      onError(error)
      if (kind === "gone") registration.lost(id)
      return kind === "retry" ? backOffDelay(clock, failures, retryAfterMs) : undefined
    }
  })

  const registration = createRegistration({
    port,
    clock,
    waiter,
    declaration,
    form: {
      name,
      get instanceId() {
        return instanceId
      },
      loadId: setup.loadId,
      lifetime,
    },
    mayRegister: setup.mayRegister,
    isBusy: () => dispatcher.isBusy,
    acked: () => dispatcher.acked(),
    onRegistered(id, registeredName, tools) {
      ids.add(id)
      local.changed()
      // It was refused before, with another set.
      if (store.state.status === "failed") ready = createDeferred()
      apply({ type: "registered", id, name: registeredName, tools })
      pinger.start()
      settleReady(ready.resolve)
      dispatcher.registered()
      setup.onRegistered()
    },
    onUpdated(tools) {
      pinger.touch()
      apply({ type: "updated", tools })
    },
    onLost() {
      pinger.stop()
      apply({ type: "lost" })
    },
    onRefused: fail,
    onLeft: left,
    onError,
  })

  const dispatcher = createDispatcher({
    port,
    clock,
    waiter,
    declaration,
    id: () => registration.id,
    isOver: () => isOver() || store.state.status === "failed",
    onGone: (id) => registration.lost(id),
    onTaken: () => pinger.touch(),
    rendered: async () => {
      await Promise.all([...rendering].map((wait) => wait()))
    },
    flushed: () => Promise.race([registration.settled(), ...(port.updatesAfterCalls ? [port.updatesAfterCalls] : [])]),
    onBegin: (call) => apply({ type: "calls", calls: addCall(store.state.calls, call) }),
    onChange: (callId, change) => apply({ type: "calls", calls: changeCall(store.state.calls, callId, change) }),
    onIdle: () => registration.schedule(),
    onError,
  })

  function fail(error: unknown): void {
    pinger.stop()
    apply({ type: "refused", error })
    settleReady(() => ready.reject(error))
  }

  function left(): void {
    pinger.stop()
    apply({ type: "left" })
    local.changed()
    settleReady(() => ready.reject(neverRegistered))
    setup.onLeft()
  }

  const local = createLocalTools({
    offers: () => declaration.offers(),
    isOver,
    receive: (dispatch) => dispatcher.receive(dispatch),
    cancel: (callId, reason) => dispatcher.cancel(callId, reason),
    onError,
  })

  function changed(): void {
    registration.schedule()
    local.changed()
  }

  function declare(source: ToolSource, toolName: string): () => void {
    const withdraw = declaration.add(source, toolName)
    changed()
    return () => {
      withdraw()
      changed()
    }
  }

  function touch(source: ToolSource): void {
    declaration.touch(source)
    changed()
  }

  const { addTool, removeTool } = createAddedTools({ name, declare, touch, isOver })

  registration.schedule()

  return {
    client: {
      name,
      get state() {
        return store.state
      },
      get ready() {
        return ready.promise
      },
      subscribe: store.subscribe,
      addTool,
      removeTool,
      declare,
      touch,
      local,
    },
    declaration,
    ids,
    lifetime,
    rendering,
    get isRegistering() {
      return registration.isRegistering
    },
    receive: (dispatch) => dispatcher.receive(dispatch),
    cancelCall: (callId, reason) => dispatcher.cancel(callId, reason),
    superseded(id) {
      if (isOver() || !registration.isHeld(id)) return
      // Keeping it, the two would supersede each other for ever; the other keeps the name.
      instanceId = setup.renewInstanceId()
      registration.lost(id)
    },
    opened() {
      dispatcher.woke()
      registration.schedule()
      if (lifetime.type === "never") registration.publishAgain()
      else pinger.pingNow()
    },
    nameFreed: () => registration.schedule(),
    woke(isReturn) {
      dispatcher.woke()
      pinger.pingIfDue(isReturn)
    },
    pageGoes(word) {
      const { id } = registration
      if (id !== undefined && !isOver()) port.ping(id, word).catch(() => {})
    },
    pageBack() {
      const { id } = registration
      if (id !== undefined) registration.lost(id)
    },
    sessionFailed(error) {
      if (isOver()) return
      registration.halt()
      fail(error)
    },
    sessionRetried() {
      if (store.state.status !== "failed") return
      ready = createDeferred()
      release = clock.hold()
      apply({ type: "rejoined" })
      registration.resume()
    },
    leaveWhenIdle() {
      if (store.state.status === "failed" && registration.isHalted) left()
      else registration.leaveWhenIdle()
    },
    stay: () => registration.stay(),
    async leave() {
      if (store.state.status === "left") return
      pinger.stop()
      apply({ type: "leaving" })
      local.changed()
      dispatcher.cancelAll("the tool client was deleted")
      // No registration comes any more, also when the DELETE is refused.
      settleReady(() => ready.reject(neverRegistered))
      await registration.leave()
    },
  }
}
