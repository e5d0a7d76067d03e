// Any order of what pages, agents and time do: the rules that hold after every step.
import fc from "fast-check"
import { expect, test } from "vitest"
import { ackCalls, answerCall, cancelCall, createCall, failCall, settleCall } from "../../src/server/calls.ts"
import { modelTools } from "../../src/server/modelTools.ts"
import { DEFAULT_SERVER_LIMITS } from "../../src/server/serverLimits.ts"
import { SessionServerError } from "../../src/server/sessionServerError.ts"
import { isOwnedBy, isPending } from "../../src/server/callRecord.ts"
import { type LogEvent, newSession, nextDueAt, type SessionState, type ToolClientRecord } from "../../src/server/sessionState.ts"
import { sweepSession } from "../../src/server/sweepSession.ts"
import { deleteToolClient, pingToolClient, registerToolClient, renewToolClient, updateTools } from "../../src/server/toolClients.ts"
import { aRegistration, aTool } from "./support/createPage.ts"

const limits = { ...DEFAULT_SERVER_LIMITS, maxSettledCalls: 5, maxToolClients: 4 }
const small = fc.nat(3)
const step = fc.oneof(
  fc.record({ type: fc.constant("register" as const), instance: small, load: small, seconds: fc.constantFrom(1, 20, 400) }),
  fc.record({ type: fc.constant("update" as const), client: small, revision: small }),
  fc.record({ type: fc.constant("ping" as const), client: small, leaving: fc.boolean(), suspended: fc.boolean() }),
  fc.record({ type: fc.constant("remove" as const), client: small }),
  fc.record({ type: fc.constant("call" as const), tool: small, key: fc.option(small) }),
  fc.record({ type: fc.constant("ack" as const), client: small, call: small }),
  fc.record({ type: fc.constant("answer" as const), client: small, call: small, text: fc.constantFrom("a", "b") }),
  fc.record({ type: fc.constant("cancel" as const), call: small }),
  fc.record({ type: fc.constant("time" as const), ms: fc.constantFrom(1, 5_000, 10_000, 100_000).map(Number) }),
)
/** Long enough for clients, calls and time to meet. */
const story = fc.array(step, { minLength: 30, maxLength: 80, size: "max" })
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

function createRun() {
  let session: SessionState = newSession("s", Number.MAX_SAFE_INTEGER)
  let now = 1_000_000
  let ids = 0
  let deleted = 0
  const said: LogEvent[] = []
  const client = (index: number): ToolClientRecord => {
    const found = session.clients[index % Math.max(1, session.clients.length)]
    if (!found) throw new SessionServerError(404, "tool_client_not_found", "none")
    return found
  }
  const call = (index: number): string => [...session.calls][index % Math.max(1, session.calls.length)]?.id ?? "none"
  const as = (index: number, run: (session: SessionState, client: ToolClientRecord) => { session: SessionState; events: readonly LogEvent[] }) => {
    const renewed = renewToolClient(session, client(index), now)
    return run(renewed, renewed.clients.find(({ id }) => id === client(index).id)!)
  }

  function apply(action: Step): { session: SessionState | undefined; events: readonly LogEvent[] } {
    switch (action.type) {
      case "register": {
        const lifetime = { type: "ttl" as const, data: { seconds: action.seconds } }
        // A page takes a new load after it has deleted a client; a copy that was held up on its way (the last load) still has the old one.
        const life = action.load === 3 ? 0 : deleted
        const form = aRegistration({ instance_id: `i${action.instance}`, load_id: `l${action.load}-${life}`, lifetime })
        return registerToolClient(session, `client-${ids++}`, form, limits, now)
      }
      case "update":
        return as(action.client, (current, who) => updateTools(current, who, { revision: action.revision, tools: [aTool("add")] }, limits))
      case "ping":
        return as(action.client, (current, who) => pingToolClient(current, who, action, now))
      case "remove":
        deleted++
        return deleteToolClient(session, client(action.client), limits, now)
      case "call": {
        const offered = modelTools(session)
        const tool = offered[action.tool % Math.max(1, offered.length)]?.name ?? "none"
        const idempotency = action.key === null ? null : { key: String(action.key), fingerprint: tool }
        return createCall(session, { callId: `call-${ids++}`, tool, arguments: {}, idempotency }, limits, now)
      }
      case "ack":
        return as(action.client, (current, who) => ackCalls(current, who, [call(action.call)]))
      case "answer":
        return as(action.client, (current, who) => answerCall(current, who, { call_id: call(action.call), text: action.text, is_error: false }, limits))
      case "cancel":
        return cancelCall(session, call(action.call), limits)
      case "time":
        now += action.ms
        return sweepSession(session, limits, now)
    }
  }

  return {
    said,
    get session() {
      return session
    },
    get now() {
      return now
    },
    run(action: Step) {
      try {
        const { session: next, events } = apply(action)
        session = next ?? newSession("s", Number.MAX_SAFE_INTEGER)
        said.push(...events)
      } catch (error) {
        if (!(error instanceof SessionServerError)) throw error
      }
    },
  }
}

const isUnique = (values: readonly string[]): boolean => new Set(values).size === values.length

/** `expect` takes too long for the hundred thousand times that this is asked. */
function hold(condition: boolean, rule: string): void {
  if (!condition) throw new Error(`Broken: ${rule}`)
}

test("Whatever happens in whatever order, a call is settled once, keeps its outcome, and always has somebody to answer it.", () => {
  let dispatches = 0
  fc.assert(
    fc.property(story, (steps) => {
      const run = createRun()
      const outcomes = new Map<string, unknown>()
      const settled = new Set<string>()
      for (const action of steps) {
        const pendingBefore = [...run.session.calls].filter(isPending)
        const saidBefore = run.said.length
        run.run(action)
        const { session, said } = run

        hold(isUnique(session.clients.map(({ name }) => name)), "names are kept apart")
        hold(isUnique(session.clients.map(({ instanceId }) => instanceId)), "an instance has one client")
        hold(isUnique(Array.from(session.calls, ({ id }) => id)), "a call stands once")
        hold([...session.calls].filter((call) => !isPending(call)).length <= limits.maxSettledCalls, "settled calls are bounded")

        for (const { type, data } of said.slice(saidBefore)) {
          if (type === "tool_call.dispatched") {
            dispatches++
            hold(session.clients.some(({ id, presence }) => id === data.client_id && presence.type === "serving"), "dispatches go to who serves")
          }
          if (type === "tool_call.settled") {
            hold(!settled.has(data.call_id), "a call is settled once")
            settled.add(data.call_id)
          }
        }
        for (const { id } of pendingBefore) {
          const isStillPending = [...session.calls].some((call) => call.id === id && isPending(call))
          hold(isStillPending !== settled.has(id), "a call is never dropped in silence")
        }
        for (const call of session.calls) {
          if (isPending(call)) {
            const owner = session.clients.find(({ id }) => id === call.clientId)
            hold(owner !== undefined && isOwnedBy(call, owner), "a pending call has somebody to answer it")
          } else {
            if (!outcomes.has(call.id)) outcomes.set(call.id, call.answer)
            hold(call.answer === outcomes.get(call.id), "an outcome stays")
          }
        }
      }
    }),
    { numRuns: 300 },
  )
  // The stories must get far enough to say anything.
  expect(dispatches).toBeGreaterThan(300)
})

test("A session that was swept is due later, never now.", () => {
  fc.assert(
    fc.property(story, (steps) => {
      const run = createRun()
      for (const action of [...steps, { type: "time" as const, ms: 1 }]) run.run(action)
      const due = nextDueAt(run.session)
      hold(due === null || due > run.now, "what is due is done")
      // When everything that is due has been done, nobody waits any more.
      run.run({ type: "time", ms: 500_000 })
      hold(![...run.session.calls].some(isPending) && run.session.clients.length === 0, "nobody waits for ever")
    }),
    { numRuns: 200 },
  )
})

test("Settling a call that is settled already changes nothing and says nothing, whoever tries.", () => {
  const { session: registered } = registerToolClient(newSession("s", 1), "c", aRegistration(), limits, 0)
  const created = createCall(registered, { callId: "k", tool: "client__web__add", arguments: {}, idempotency: null }, limits, 0)
  const call = [...created.session.calls].find(isPending)!
  const { session } = settleCall(created.session, call, { text: "first", is_error: false }, "answered", limits)
  const again = failCall(session, call, "deadline", limits)
  expect(again).toEqual({ session, events: [] })
  expect(again.session).toBe(session)
})
