import { reportToConsole } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { randomId } from "../lib/randomId.ts"
import { createStore } from "../lib/store.ts"
import { turn } from "../lib/turn.ts"
import { createWaiter } from "../lib/waiter.ts"
import type { SessionClient } from "../session/sessionClient.ts"
import type { ToolSpec } from "../tool/toolSpec.ts"
import type { Session, SessionState } from "../toolClient/session.ts"
import { createToolClientRegistry } from "../toolClient/toolClientRegistry.ts"
import { SessionError } from "../wire/sessionError.ts"
import { createFakeClock, type FakeClock } from "./fakeClock.ts"
import { createMemoryFaults, type MemoryFaults, type TestFailure } from "./memoryFaults.ts"
import { createMemoryPort } from "./memoryPort.ts"
import { outsideAct } from "./outsideAct.ts"
import { type AnsweredCall, type CallOptions, createTestCalls, type TestAnswer } from "./testCalls.ts"
import { createTestPerson } from "./testPerson.ts"
import type { TestRequest } from "./testRequest.ts"

export interface TestSessionOptions<SessionClock extends Clock = FakeClock> {
  /** @default "test" */
  readonly id?: string | undefined
  /** What the session and its tool clients tell the time by. @default a fake clock that stands still */
  readonly clock?: SessionClock | undefined
  /** `false` begins with the stream not open yet; see `open()`. @default true */
  readonly isOpen?: boolean | undefined
  /** Hears all that goes wrong in the background, as `session.errors()` does. @default `console.error`, but for what the test's own faults caused */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** What can go wrong between the page and its server, to see what the page makes of it. */
export interface TestFaults {
  /** The network is gone: the stream is lost, and no request gets through, until `online()`. */
  offline(): void
  /** The network is back: the stream opens, and what was owed is sent. */
  online(): void
  /** The next `times` requests fail, whatever they are. @param failure - A status, or no answer at all. `@default` 503 */
  refuseNext(times: number, failure?: TestFailure): void
  /** Each request takes so many milliseconds of `session.clock`, which stands still until it is advanced. 0 ends it. */
  slow(ms: number): void
  /**
   * The server is started anew without its memory: the stream is lost and open again, no tool client is known any more. Calls that are
   * not answered are dispatched again to whoever registers again.
   */
  restart(): void
  /** The server takes the next answer, and its response is lost: the page sends the answer again. */
  loseAnswer(): void
}

/** A session without a server: tool clients and hooks work on it as on a real one, and a test plays the agent. */
export interface TestSession<SessionClock extends Clock = FakeClock> extends Session {
  /** For `SessionProvider`: whatever id is asked for, it is this session. */
  readonly client: SessionClient
  readonly clock: SessionClock
  /**
   * Calls a tool as an agent does, by its own name (`add_todo`); resolves when it is answered, rejects when the page says that it failed
   * to. Not to be wrapped in `act`, which holds back the render that the answer waits for.
   */
  callTool(tool: string, args?: unknown, options?: CallOptions): Promise<TestAnswer>
  /**
   * Plays the person whom `useToolApproval` asks: approves the oldest question that waits, of one tool or of all. A call that was just made
   * may still be on its way to its question. Rejects when nobody is asked.
   *
   * @example
   * const answer = session.callTool("check_out")
   * await session.approve("check_out")
   * expect((await answer).text).toContain("Bought")
   */
  approve(tool?: string): Promise<void>
  /** As `approve`, and the person says no. */
  refuse(tool?: string): Promise<void>
  /**
   * What `act` does is a person's, until it is through: a scripted click, which decides nothing otherwise, then approves. For the buttons
   * of a dialog.
   *
   * @example
   * await session.asPerson(() => screen.getByRole("button", { name: "Buy" }).click())
   */
  asPerson<Value>(act: () => Value | PromiseLike<Value>): Promise<Value>
  /** What `callTool` was answered so far, of one tool or of all, in the order of the answers. */
  answers(tool?: string): readonly AnsweredCall[]
  /** The tools that the server knows right now, of one client or of all. */
  published(client?: string): readonly ToolSpec[]
  /** Every request so far, or those of one type. */
  requests<Type extends TestRequest["type"]>(type?: Type): readonly (TestRequest & { readonly type: Type })[]
  /** What went wrong in the background so far, the faults of the test included. */
  errors(): readonly unknown[]
  /** For a `SessionProvider` of the test's own: puts the error among `errors()`, and tells the session's handler. */
  readonly onError: (error: unknown) => void
  /** Resolves when nothing that was begun in this tick is still under way. */
  settle(): Promise<void>
  readonly faults: TestFaults
  /** Cancels a call as the server does. */
  cancelCall(callId: string, reason?: string): void
  /** The stream opens; clients register. */
  open(): void
  /** The stream is lost until `open()`; requests still get through. */
  disconnect(): void
  setRunning(isRunning: boolean): void
  /** Makes the next `times` requests of this type fail with `failure`: an error, a status, or no answer at all (`"network"`). */
  readonly failNext: MemoryFaults["failNext"]
  /** Holds all requests until the returned function is called. */
  readonly hold: MemoryFaults["hold"]
  /** The server forgets every tool client, as one that was restarted without its memory. */
  forgetAll(): void
}

/** Turns of the event loop in which a render, its effects, and a request that they send have come and gone. */
const SETTLE_TURNS = 12

/**
 * Makes a session for tests.
 *
 * @throws TypeError for options that are none
 * @example
 * const session = createTestSession()
 * render(<SessionProvider client={session.client}><Todos sessionId="any" /></SessionProvider>)
 * await session.settle()
 * expect(await session.callTool("add_todo", { title: "milk" })).toMatchObject({ is_error: false })
 */
export function createTestSession<SessionClock extends Clock = FakeClock>(
  options: TestSessionOptions<SessionClock> = {},
): TestSession<SessionClock> {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`createTestSession needs an object such as { id, clock }, or nothing, not ${options === null ? "null" : typeof options}.`)
  }
  const { id = "test" } = options
  // Without one of the caller's, the fake one is what the type says by default.
  const clock = options.clock ?? (createFakeClock() as Clock as SessionClock)
  const waiter = createWaiter(clock)
  const faults = createMemoryFaults(clock)
  const errors: unknown[] = []
  const report = options.onError ?? ((error: unknown) => faults.isOwn(error) || reportToConsole(error))
  function onError(error: unknown): void {
    errors.push(error)
    report(error)
  }
  const connecting: SessionState = { id, status: "connecting", error: undefined, isRunning: false }
  const store = createStore<SessionState>(connecting, onError)

  const memory = createMemoryPort({
    faults,
    onAnswer: (callId, answer) => calls.take(callId, answer),
    onRegister: (client) => calls.registered(client),
  })
  const registry = createToolClientRegistry({
    port: memory.port,
    clock,
    waiter,
    tab: { value: randomId() },
    isOpen: () => store.state.status === "open",
    onError,
  })
  const person = createTestPerson(registry)
  const calls = createTestCalls({ registry, person, clients: () => [...memory.clients.values()] })

  let isClosed = false
  function refuseWhenClosed(): void {
    if (isClosed) throw new SessionError("closed", `The session "${id}" is closed.`)
  }

  const session: TestSession<SessionClock> = {
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
    callTool: (tool, args = {}, callOptions = {}) => outsideAct(() => calls.call(tool, args, callOptions)),
    approve: (tool) => outsideAct(() => person.decide(true, tool)),
    refuse: (tool) => outsideAct(() => person.decide(false, tool)),
    asPerson: (act) => outsideAct(() => person.act(act)),
    answers: (tool) => calls.answered.filter((call) => tool === undefined || call.tool === tool),
    published: (client) =>
      [...memory.clients.values()].filter((one) => client === undefined || one.name === client).flatMap((one) => one.tools),
    requests: <Type extends TestRequest["type"]>(type?: Type) =>
      memory.requests.filter((request): request is TestRequest & { readonly type: Type } => type === undefined || request.type === type),
    errors: () => [...errors],
    onError,
    settle: () =>
      outsideAct(async () => {
        for (let count = 0; count < SETTLE_TURNS; count++) await turn()
      }),
    faults: {
      offline() {
        faults.setOffline(true)
        session.disconnect()
      },
      online() {
        faults.setOffline(false)
        session.open()
      },
      refuseNext: (times, failure = 503) => faults.refuseNext(times, failure),
      slow: faults.slow,
      restart() {
        calls.restarted()
        session.disconnect()
        session.forgetAll()
        session.open()
      },
      loseAnswer: () => faults.loseNext("answer"),
    },
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
    failNext: faults.failNext,
    hold: faults.hold,
    forgetAll() {
      for (const clientId of memory.clients.keys()) memory.forget(clientId)
    },
  }
  if (options.isOpen !== false) session.open()
  return session
}
