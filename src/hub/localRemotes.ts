import type { ErrorHandler } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { createDeferred, type Deferred, settled } from "../lib/deferred.ts"
import { randomId } from "../lib/randomId.ts"
import { onAbort } from "../lib/signals.ts"
import { createStore } from "../lib/store.ts"
import { createWaiter } from "../lib/waiter.ts"
import { jsonValueOf } from "../tool/answer.ts"
import { copyJson } from "../tool/copyJson.ts"
import type { JsonValue, ToolAnswer, ToolSpec } from "../tool/toolSpec.ts"
import type { ToolClientPort } from "../toolClient/port.ts"
import type { Session, SessionState } from "../toolClient/session.ts"
import { createToolClientRegistry } from "../toolClient/toolClientRegistry.ts"
import { letIn } from "./keptOut.ts"
import { errorText, type HubEvent, REMOTE_CALL_TIMEOUT_MS, REMOTE_EVENTS } from "./messages.ts"
import { portFailureOf } from "./portFailure.ts"
import { RemoteError } from "./remoteError.ts"

interface LocalRemote {
  readonly id: string
  readonly remotename: string
  tools: readonly ToolSpec[]
}

interface LocalCall {
  readonly remote: LocalRemote
  readonly answered: Deferred<JsonValue>
}

/** Remotes that never leave the page: tool clients and hooks serve them as any session's. */
export interface LocalRemotes {
  readonly session: Session
  list(): readonly { readonly remotename: string; readonly tools: readonly ToolSpec[] }[]
  has(remotename: string): boolean
  call(remotename: string, name: string, args: unknown, signal: AbortSignal | undefined): Promise<JsonValue>
}

export interface LocalRemotesOptions {
  readonly id: string
  readonly clock: Clock
  onEvent(event: HubEvent): void
  readonly onError: ErrorHandler
}

export function createLocalRemotes({ id, clock, onEvent, onError }: LocalRemotesOptions): LocalRemotes {
  const remotes = new Map<string, LocalRemote>()
  const calls = new Map<string, LocalCall>()
  const waiter = createWaiter(clock)
  const store = createStore<SessionState>({ id, status: "open", error: undefined, isRunning: false }, onError)

  const byId = (remoteId: string): LocalRemote => {
    const remote = [...remotes.values()].find((one) => one.id === remoteId)
    if (remote) return remote
    throw new RemoteError("not_connected", "The local remote is not connected.")
  }

  function settle(callId: string, answer: ToolAnswer): void {
    const call = calls.get(callId)
    if (!call) throw new RemoteError("settled", "Nobody waits for this answer any more.")
    calls.delete(callId)
    const { remotename } = call.remote
    if (answer.is_error) call.answered.reject(new RemoteError("failed", answer.text, { remotename }))
    else call.answered.resolve(jsonValueOf(answer))
  }

  function disconnect(remoteId: string): void {
    const remote = [...remotes.values()].find((one) => one.id === remoteId)
    if (!remote) return
    const { remotename } = remote
    remotes.delete(remotename)
    for (const [callId, call] of calls) {
      if (call.remote !== remote) continue
      calls.delete(callId)
      call.answered.reject(new RemoteError("disconnected", errorText.disconnected(remotename), { remotename }))
    }
    onEvent({ action: REMOTE_EVENTS.disconnected, remotename })
    letIn(registry, remotename)
  }

  const port: ToolClientPort = {
    register({ name, tools }) {
      if (remotes.has(name)) return Promise.reject(new RemoteError("already_connected", errorText.alreadyConnected(name), { remotename: name }))
      const remote: LocalRemote = { id: randomId(), remotename: name, tools }
      remotes.set(name, remote)
      onEvent({ action: REMOTE_EVENTS.connected, remotename: name })
      return Promise.resolve({ id: remote.id, name })
    },
    update: (remoteId, _revision, tools) =>
      settled(() => {
        const remote = byId(remoteId)
        remote.tools = tools
        onEvent({ action: REMOTE_EVENTS.updated, remotename: remote.remotename })
      }),
    ping: (remoteId) => settled(() => byId(remoteId)),
    answer: (_id, callId, answer) => settled(() => settle(callId, answer)),
    remove: (remoteId) => settled(() => disconnect(remoteId)),
    failureOf: (error) => portFailureOf(error),
  }

  const registry = createToolClientRegistry({ port, clock, waiter, tab: { value: id }, isOpen: () => store.state.status === "open", onError })
  const refuseWhenClosed = (): void => {
    if (store.state.status === "closed") throw new RemoteError("closed", "The hub client is closed.")
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
    retry() {},
    async close() {
      await registry.deleteAll()
      store.set({ id, status: "closed", error: undefined, isRunning: false })
    },
  }

  return {
    session,
    list: () => [...remotes.values()],
    has: (remotename) => remotes.has(remotename),
    async call(remotename, name, args, signal) {
      const fail = (code: "timeout" | "aborted" | "not_connected" | "no_function" | "failed", text: string): RemoteError =>
        new RemoteError(code, text, { remotename, cause: signal?.reason })
      const remote = remotes.get(remotename)
      if (!remote) throw fail("not_connected", errorText.notConnected(remotename))
      if (!remote.tools.some((tool) => tool.name === name)) throw fail("no_function", errorText.noFunction(remotename, name))
      // As over the wire: what the tool does to its arguments the caller does not see.
      const copy = copyJson(args)
      if (!copy.ok) throw fail("failed", `The arguments cannot be written as JSON: ${copy.reason}`)
      const callId = randomId()
      const answered = createDeferred<JsonValue>()
      calls.set(callId, { remote, answered })
      const end = (error: RemoteError): void => {
        answered.reject(error)
        registry.cancelCall(callId, error.message)
      }
      const timer = clock.setTimeout(() => end(fail("timeout", errorText.timedOut(remotename))), REMOTE_CALL_TIMEOUT_MS)
      const stopListening = onAbort(signal, () => end(fail("aborted", `The call of "${name}" was aborted by its caller.`)))
      try {
        if (!signal?.aborted) registry.dispatch(remote.id, { callId, tool: name, arguments: copy.value, deadlineMs: REMOTE_CALL_TIMEOUT_MS })
        return await answered.promise
      } finally {
        clock.clearTimeout(timer)
        stopListening()
        calls.delete(callId)
      }
    },
  }
}
