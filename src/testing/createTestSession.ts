import { reportToConsole } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { createDeferred, type Deferred } from "../lib/deferred.ts"
import { randomId } from "../lib/randomId.ts"
import { createStore } from "../lib/store.ts"
import { turn } from "../lib/turn.ts"
import { createWaiter } from "../lib/waiter.ts"
import type { SessionClient } from "../session/sessionClient.ts"
import type { ToolAnswer, ToolSpec } from "../tool/toolSpec.ts"
import type { CallRecord } from "../toolClient/calls.ts"
import type { Session, SessionState } from "../toolClient/session.ts"
import { createToolClientRegistry } from "../toolClient/toolClientRegistry.ts"
import { RESULT_DEADLINE_MS } from "../wire/limits.ts"
import { SessionError } from "../wire/sessionError.ts"
import { createFakeClock, type FakeClock } from "./fakeClock.ts"
import { createMemoryPort, type MemoryPort, type ServedClient, type TestRequest } from "./memoryPort.ts"
import { outsideAct } from "./outsideAct.ts"

export interface TestSessionOptions {
  /** @default "test" */
  readonly id?: string
  /** What the session and its tool clients tell the time by. @default a fake clock that stands still */
  readonly clock?: Clock | undefined
  /** `false` begins with the stream not open yet; see `open()`. @default true */
  readonly isOpen?: boolean
  /** @default `console.error` */
  readonly onError?: (error: unknown) => void
}

/** What a call came back with, and the phases it went through as the page saw them. */
export interface TestAnswer extends ToolAnswer {
  readonly callId: string
  readonly phases: readonly CallRecord["phase"][]
}

export interface CallOptions {
  /** Which tool client, by the name it is registered under. @default the only one that offers the tool */
  readonly client?: string
  /** Dispatches under this id; the same id again is a repeated dispatch. @default a random one */
  readonly callId?: string
  /** Milliseconds for the answer. @default five minutes */
  readonly deadlineMs?: number
}

/** A session without a server: tool clients and hooks work on it as on a real one, and a test plays the agent. */
export interface TestSession extends Session {
  /** For `SessionProvider`: whatever id is asked for, it is this session. */
  readonly client: SessionClient
  readonly clock: FakeClock
  /**
   * Calls a tool as an agent does; resolves when it is answered, rejects when the page says that it failed to. Not to be wrapped in
   * `act`, which holds back the render that the answer waits for.
   */
  callTool(tool: string, args?: unknown, options?: CallOptions): Promise<TestAnswer>
  /** The tools that the server knows right now, of one client or of all. */
  published(client?: string): readonly ToolSpec[]
  /** Every request so far, or those of one type. */
  requests<Type extends TestRequest["type"]>(type?: Type): readonly (TestRequest & { readonly type: Type })[]
  /** Resolves when nothing that was begun in this tick is still under way. */
  settle(): Promise<void>
  /** Cancels a call as the server does. */
  cancelCall(callId: string, reason?: string): void
  /** The stream opens; clients register. */
  open(): void
  /** The stream is lost until `open()`. */
  disconnect(): void
  setRunning(isRunning: boolean): void
  readonly failNext: MemoryPort["failNext"]
  readonly hold: MemoryPort["hold"]
  /** The server forgets every tool client, as one that was restarted without its memory. */
  forgetAll(): void
}

const TURNS = 12

export function createTestSession(options: TestSessionOptions = {}): TestSession {
  const { id = "test", onError = reportToConsole } = options
  const clock = (options.clock ?? createFakeClock()) as FakeClock
  const pending = new Map<string, Deferred<ToolAnswer>>()
  const settled = new Map<string, ToolAnswer>()
  const waiter = createWaiter(clock)

  const memory = createMemoryPort((callId, answer) => {
    const before = settled.get(callId)
    if (before) return before.text === answer.text && before.is_error === answer.is_error
    settled.set(callId, answer)
    pending.get(callId)?.resolve(answer)
    return true
  })

  const connecting: SessionState = { id, status: "connecting", error: undefined, isRunning: false }
  const store = createStore<SessionState>(connecting, onError)
  const registry = createToolClientRegistry({
    port: memory.port,
    clock,
    waiter,
    tabId: randomId(),
    isOpen: () => store.state.status === "open",
    onError,
  })

  function ownerOf(tool: string, client: string | undefined): ServedClient {
    const all = [...memory.clients.values()]
    const owners = all.filter((one) => (client === undefined ? one.tools.some((spec) => spec.name === tool) : one.name === client))
    const [owner] = owners
    if (owners.length === 1 && owner) return owner
    const known = all.map((one) => `${one.name} (${one.tools.map((spec) => spec.name).join(", ") || "no tools"})`).join("; ")
    throw new Error(`${owners.length} tool clients could take "${tool}"${client ? ` of "${client}"` : ""}. Registered: ${known || "none"}.`)
  }

  function recordOf(callId: string): CallRecord | undefined {
    let found: CallRecord | undefined
    registry.forEach(({ client }) => (found ??= client.state.calls.find((call) => call.callId === callId)))
    return found
  }

  let isClosed = false
  function refuseWhenClosed(): void {
    if (isClosed) throw new SessionError("closed", `The session "${id}" is closed.`)
  }

  async function callTool(
    tool: string,
    args: unknown,
    { client, callId = randomId(), deadlineMs = RESULT_DEADLINE_MS }: CallOptions,
  ): Promise<TestAnswer> {
    const owner = ownerOf(tool, client)
    const answered = pending.get(callId) ?? createDeferred<ToolAnswer>()
    pending.set(callId, answered)
    const phases: CallRecord["phase"][] = []
    const look = (): void => {
      const phase = recordOf(callId)?.phase
      if (phase && phases.at(-1) !== phase) phases.push(phase)
      if (phase === "failed") answered.reject(recordOf(callId)?.error)
    }
    const stops: (() => void)[] = []
    registry.forEach(({ client: each }) => stops.push(each.subscribe(look)))
    try {
      registry.dispatch(owner.id, { callId, tool, arguments: args, deadlineMs })
      look()
      const answer = await answered.promise
      // The page learns that its answer was taken after it was.
      for (let count = 0; count < TURNS && phases.at(-1) !== "answered"; count++) await turn()
      return { ...answer, callId, phases }
    } finally {
      for (const stop of stops) stop()
    }
  }

  const session: TestSession = {
    get state() {
      return store.state
    },
    subscribe: store.subscribe,
    clock,
    createToolClient(name, clientOptions) {
      refuseWhenClosed()
      return registry.create(name, clientOptions)
    },
    registry,
    deleteToolClient: (client) => registry.delete(client),
    shareToolClient(name, clientOptions) {
      refuseWhenClosed()
      return registry.share(name, clientOptions)
    },
    retry() {
      if (store.state.status === "reconnecting") session.open()
    },
    async close() {
      isClosed = true
      await registry.deleteAll()
      store.set({ id, status: "closed", error: undefined, isRunning: false })
    },
    client: {
      open: () => session,
      share: () => ({ session, release() {} }),
    },
    callTool: (tool, args = {}, callOptions = {}) => outsideAct(() => callTool(tool, args, callOptions)),
    published: (client) =>
      [...memory.clients.values()].filter((one) => client === undefined || one.name === client).flatMap((one) => one.tools),
    requests: <Type extends TestRequest["type"]>(type?: Type) =>
      memory.requests.filter((request): request is TestRequest & { readonly type: Type } => type === undefined || request.type === type),
    settle: () =>
      outsideAct(async () => {
        for (let count = 0; count < TURNS; count++) await turn()
      }),
    cancelCall: (callId, reason = "cancelled") => registry.cancelCall(callId, reason),
    open() {
      store.set({ id, status: "open", error: undefined, isRunning: false })
      waiter.wake()
      registry.forEach((control) => control.opened())
    },
    disconnect() {
      store.set({ id, status: "reconnecting", error: undefined, isRunning: false })
    },
    setRunning(isRunning) {
      if (store.state.status === "open") store.set({ ...store.state, isRunning })
    },
    failNext: memory.failNext,
    hold: memory.hold,
    forgetAll() {
      for (const clientId of memory.clients.keys()) memory.forget(clientId)
    },
  }
  if (options.isOpen !== false) session.open()
  return session
}
