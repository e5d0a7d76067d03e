import { callSafely, type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import { createDeferred } from "../lib/deferred.ts"
import { expectType } from "../lib/expectType.ts"
import { createStore } from "../lib/store.ts"
import { backOffDelay } from "../lib/backOff.ts"
import { checkTool } from "../tool/checkTool.ts"
import { checkClientName } from "../tool/names.ts"
import type { AnyTool } from "../tool/tool.ts"
import { createAddedTools } from "./addedTools.ts"
import { addCall, changeCall } from "./calls.ts"
import { createDeclaration, type ToolSource } from "./declaration.ts"
import { createDispatcher } from "./dispatch.ts"
import { checkLifetime, createPinger, DEFAULT_LIFETIME } from "./lifetime.ts"
import { createLocalTools } from "./localTools.ts"
import { createRegistration } from "./registration.ts"
import type { ToolClientControl, ToolClientSetup } from "./toolClientControl.ts"
import { JOINING, nextToolClientState, type ToolClientEvent, type ToolClientState } from "./toolClientState.ts"

/** @throws ToolDefinitionError for a name that cannot be one, RangeError for a lifetime that cannot be one. */
export function createToolClient(setup: ToolClientSetup): ToolClientControl {
  const { name, port, clock, waiter } = setup
  checkClientName(name)
  const lifetime = checkLifetime(setup.lifetime ?? DEFAULT_LIFETIME)
  const { onError: hear = reportToConsole } = setup
  expectType(`The onError of the tool client "${name}"`, hear, "a function")
  const onError: ErrorHandler = (error) => callSafely(hear, error, reportToConsole)

  const store = createStore<ToolClientState>(JOINING, onError)
  const apply = (event: ToolClientEvent): void => store.set(nextToolClientState(store.state, event))
  const isOver = (): boolean => store.state.status === "leaving" || store.state.status === "left"

  let ready = createDeferred<void>()
  // A process that awaits `ready` is not done, although nothing but timers may run.
  let release = clock.hold()
  function awaitAgain(): void {
    ready = createDeferred()
    release = clock.hold()
  }

  let { instanceId } = setup
  const ids = new Set<string>()
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
      if (store.state.status === "failed") awaitAgain()
      apply({ type: "registered", id, name: registeredName, tools })
      pinger.start()
      ready.resolve()
      release()
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
    onRefused: (error) => end({ type: "refused", error }, error),
    onLeft: left,
    onError,
  })

  const dispatcher = createDispatcher({
    port,
    clock,
    waiter,
    declaration,
    memory: setup.memory,
    id: () => registration.id,
    isOver: () => isOver() || store.state.status === "failed",
    onGone: registration.lost,
    onTaken: pinger.touch,
    flushed() {
      const settled = registration.settled()
      return settled && port.updatesAfterCalls ? Promise.race([settled, port.updatesAfterCalls]) : settled
    },
    onBegin: (call) => apply({ type: "calls", calls: addCall(store.state.calls, call) }),
    onChange: (callId, change) => apply({ type: "calls", calls: changeCall(store.state.calls, callId, change) }),
    onIdle: registration.schedule,
    onError,
  })

  /** No registration comes any more, or none for now. */
  function end(event: ToolClientEvent & { readonly type: "refused" | "leaving" | "left" }, error: unknown = new Error(`The tool client "${name}" left before it was registered.`)): void {
    pinger.stop()
    apply(event)
    local.changed()
    ready.reject(error)
    release()
  }

  function left(): void {
    end({ type: "left" })
    setup.onLeft()
  }

  const local = createLocalTools({
    offers: () => declaration.offers(),
    isOver,
    receive: dispatcher.receive,
    cancel: dispatcher.cancel,
    onError,
  })

  function changed(): void {
    registration.schedule()
    local.changed()
  }

  function declare(source: ToolSource, toolName: string, hearer?: ErrorHandler): () => void {
    const withdraw = declaration.add(source, toolName, hearer)
    changed()
    return () => {
      withdraw()
      changed()
    }
  }

  function touch(toolName: string): void {
    declaration.touch(toolName)
    changed()
  }

  const check = (toolName: string, tool: AnyTool): void => void checkTool(name, toolName, tool)

  const { addTool, removeTool } = createAddedTools({ check, declare, touch, isOver })

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
      check,
      declare,
      touch,
      local,
    },
    declaration,
    ids,
    lifetime,
    get isDeleting() {
      return registration.isLeaving
    },
    get isRegistering() {
      return registration.isRegistering
    },
    receive: dispatcher.receive,
    cancelCall: dispatcher.cancel,
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
    nameFreed: registration.schedule,
    woke(isReturn) {
      dispatcher.woke()
      pinger.pingIfDue(isReturn)
    },
    pageGoes(word) {
      const { id } = registration
      if (id !== undefined && !isOver()) port.ping(id, word, registration.revision).catch(() => {})
    },
    pageBack: () => registration.lost(registration.id),
    sessionFailed(error) {
      if (isOver()) return
      registration.halt()
      end({ type: "refused", error }, error)
      if (!registration.isWanted) left()
    },
    sessionRetried() {
      if (store.state.status !== "failed") return
      awaitAgain()
      apply({ type: "rejoined" })
      registration.resume()
    },
    leaveWhenIdle() {
      if (store.state.status === "failed" && registration.isHalted) left()
      else registration.leaveWhenIdle()
    },
    stay: registration.stay,
    async leave() {
      if (store.state.status === "left") return
      end({ type: "leaving" })
      dispatcher.cancelAll("the tool client was deleted")
      await registration.leave()
    },
  }
}
