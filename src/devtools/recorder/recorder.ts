import { reportToConsole } from "../../lib/callSafely.ts"
import { randomId } from "../../lib/randomId.ts"
import { createStore, type Store } from "../../lib/store.ts"
import { reasonOf } from "../../tool/reason.ts"
import type { ToolSpec } from "../../tool/toolSpec.ts"
import type { CallRecord } from "../../toolClient/calls.ts"
import type { Session } from "../../toolClient/session.ts"
import type { ToolClientControl } from "../../toolClient/toolClientControl.ts"
import type { ToolClientState } from "../../toolClient/toolClientState.ts"
import { RESULT_DEADLINE_MS } from "../../wire/limits.ts"
import { bound } from "./bounded.ts"
import { clientView } from "./clientView.ts"
import { BY_HAND, type CallTrace, type History, type Refusal, type StatusTrace } from "./history.ts"
import { isRefusal } from "./knownAnswers.ts"
import { createRequestLog } from "./requestLog.ts"
import { wrapPort } from "./wrapPort.ts"
import { wrapRegistry } from "./wrapRegistry.ts"

/** Milliseconds between two snapshots: a burst of calls is one render. */
const SNAPSHOT_INTERVAL_MS = 50

/** What the panel shows of one session, kept beyond the 50 settled calls that a tool client keeps. */
export interface Recorder extends Pick<Store<History>, "state" | "subscribe"> {
  /** By the session's clock. */
  now(): number
  /** Records until the returned function is called; counted, so that two panels share one recorder. */
  start(): () => void
  /**
   * Calls a tool through the client's own dispatch, so that validation, concurrency, timeouts and approvals hold, whether or
   * not there is a connection; the server never hears of it. Returns the call's id, `undefined` when the client is gone.
   */
  callByHand(clientKey: number, tool: string, args: unknown): string | undefined
  /** Forgets calls that are settled, requests and transitions. */
  clear(): void
  /** Takes a snapshot now. */
  flush(): void
}

interface Watched {
  readonly key: number
  readonly refusals: Map<string, Refusal>
  readonly records: Map<string, CallRecord>
  status: ToolClientState["status"] | undefined
  stop(): void
}

const EMPTY: History = { calls: [], requests: [], statuses: [], clients: [] }

const textOf = (error: unknown): string | undefined => (error === undefined ? undefined : reasonOf(error))

/** @param schedule - Runs a snapshot soon. */
export function createRecorder(
  session: Session,
  schedule: (snapshot: () => void) => void = (snapshot) => void setTimeout(snapshot, SNAPSHOT_INTERVAL_MS),
): Recorder {
  const { registry } = session
  const now = (): number => registry?.clock.now() ?? Date.now()
  const store = createStore(EMPTY, reportToConsole)
  const calls = new Map<string, CallTrace>()
  const statuses = new Map<number, StatusTrace>()
  const watched = new Map<ToolClientControl, Watched>()
  const published = new Map<string, readonly ToolSpec[]>()
  /** Of calls that a client has not begun yet. */
  const dispatched = new Map<string, Pick<CallTrace, "tool" | "copies" | "deadline">>()
  let nextKey = 0
  let isScheduled = false

  function flush(): void {
    isScheduled = false
    const clients = [...watched].map(([control, { key, refusals }]) => clientView(key, control, published.get(control.client.state.id ?? ""), refusals))
    store.set({ calls: [...calls.values()], requests: log.traces, statuses: [...statuses.values()], clients })
  }

  function changed(): void {
    if (isScheduled) return
    isScheduled = true
    schedule(() => isScheduled && flush())
  }

  function changeCall(callId: string, change: Partial<CallTrace>): void {
    const trace = calls.get(callId)
    if (!trace) return
    calls.set(callId, { ...trace, ...change })
    changed()
  }

  function addStatus(client: string | undefined, status: StatusTrace["status"], error: unknown): void {
    const key = nextKey++
    statuses.set(key, { key, at: now(), client, status, error: textOf(error) })
    bound(statuses)
    changed()
  }

  const controlOf = (id: string | undefined): ToolClientControl | undefined =>
    [...watched.keys()].find((control) => id !== undefined && control.ids.has(id))

  const nameOf = (control: ToolClientControl): string => control.client.state.name ?? control.client.name

  function readCall(control: ToolClientControl, { refusals, records }: Watched, record: CallRecord): void {
    const { callId, tool } = record
    if (records.get(callId) === record) return
    records.set(callId, record)
    const known = calls.get(callId)
    if (known) calls.set(callId, { ...known, record })
    else {
      calls.set(callId, {
        callId,
        client: nameOf(control),
        tool,
        record,
        copies: 1,
        deadline: undefined,
        ackedAt: record.via === undefined ? undefined : record.receivedAt,
        answeringAt: undefined,
        cancelled: undefined,
        ...dispatched.get(callId),
      })
      bound(calls)
    }
    const { answer } = record
    if (answer && record.startedAt === undefined && isRefusal(tool, answer.text)) {
      refusals.set(tool, { callId, at: record.settledAt ?? now(), arguments: record.arguments, text: answer.text })
    }
  }

  function watch(control: ToolClientControl): void {
    if (watched.has(control)) return
    const entry: Watched = { key: nextKey++, refusals: new Map(), records: new Map(), status: undefined, stop() {} }
    const read = (): void => {
      const { state } = control.client
      if (entry.status !== state.status) addStatus(nameOf(control), state.status, state.error)
      entry.status = state.status
      for (const record of state.calls) readCall(control, entry, record)
      if (entry.records.size > state.calls.length * 2) {
        const current = new Set(state.calls.map((record) => record.callId))
        for (const callId of entry.records.keys()) if (!current.has(callId)) entry.records.delete(callId)
      }
      if (state.status === "left") {
        entry.stop()
        watched.delete(control)
      }
      changed()
    }
    watched.set(control, entry)
    entry.stop = control.client.subscribe(read)
    read()
  }

  const watchAll = (): void => registry?.forEach(watch)

  const log = createRequestLog({
    now,
    nextKey: () => nextKey++,
    ownerOf({ id, form }) {
      watchAll()
      const control = controlOf(id)
      const client = form?.name ?? (control ? nameOf(control) : (id ?? ""))
      return { client, subject: control?.client.name ?? client }
    },
    toolOf: (callId = "") => (calls.get(callId) ?? dispatched.get(callId))?.tool,
    isGone: (error) => registry?.port.failureOf(error).kind === "gone",
    onSent({ type, callId = "" }) {
      if (type === "answer" && calls.get(callId)?.answeringAt === undefined) changeCall(callId, { answeringAt: now() })
    },
    onTaken(sent, value) {
      const id = sent.id ?? (value as { readonly id?: string } | undefined)?.id
      if (sent.tools && id !== undefined) published.set(id, sent.tools)
      bound(published)
      if (sent.type === "ack" && sent.callId !== undefined) changeCall(sent.callId, { ackedAt: now() })
    },
    onChange: changed,
  })

  function wrap(inner: NonNullable<Session["registry"]>): () => void {
    const unwrapPort = wrapPort(inner.port, { around: log.around })
    const unwrapRegistry = wrapRegistry(inner, {
      onClients: watchAll,
      onDispatch({ callId, tool, deadlineMs }) {
        const known = calls.get(callId) ?? dispatched.get(callId)
        const seen = { tool, copies: (known?.copies ?? 0) + 1, deadline: now() + deadlineMs }
        dispatched.set(callId, seen)
        bound(dispatched)
        changeCall(callId, seen)
      },
      onCancel: (callId, cancelled) => changeCall(callId, { cancelled }),
    })
    return () => {
      unwrapPort()
      unwrapRegistry()
    }
  }

  function begin(): () => void {
    const unwrap = registry && wrap(registry)
    let status: string | undefined = [...statuses.values()].findLast((trace) => trace.client === undefined)?.status
    const readSession = (): void => {
      const { state } = session
      if (state.status !== status) addStatus(undefined, state.status, state.error)
      if (state.status === "open" && status !== undefined && status !== "open") log.opened()
      status = state.status
      // Whether the agent works is no transition, and is shown all the same.
      changed()
    }
    const unsubscribe = session.subscribe(readSession)
    readSession()
    watchAll()
    flush()
    return () => {
      unsubscribe()
      unwrap?.()
      for (const { stop } of watched.values()) stop()
      watched.clear()
    }
  }

  let users = 0
  let end: (() => void) | undefined
  return {
    get state() {
      return store.state
    },
    subscribe: store.subscribe,
    now,
    start() {
      if (users++ === 0) end = begin()
      let isStopped = false
      return () => {
        if (isStopped) return
        isStopped = true
        if (--users === 0) end?.()
      }
    },
    callByHand(clientKey, tool, args) {
      const [control] = [...watched].find(([, { key }]) => key === clientKey) ?? []
      if (!control) return undefined
      const callId = randomId()
      dispatched.set(callId, { tool, copies: 1, deadline: now() + RESULT_DEADLINE_MS })
      // The panel sees the answer in the call's record.
      control.receive({ callId, tool, arguments: args, deadlineMs: RESULT_DEADLINE_MS, via: BY_HAND, reply() {} })
      return callId
    },
    clear() {
      for (const [callId, { record }] of calls) if (record.settledAt !== undefined) calls.delete(callId)
      log.clear()
      for (const key of [...statuses.keys()].slice(0, -1)) statuses.delete(key)
      flush()
    },
    flush,
  }
}

/** One recorder a session, so that a panel that comes back finds what it had. */
const recorders = new WeakMap<Session, Recorder>()

export function recorderOf(session: Session): Recorder {
  const recorder = recorders.get(session) ?? createRecorder(session)
  recorders.set(session, recorder)
  return recorder
}
