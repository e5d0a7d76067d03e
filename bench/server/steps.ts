import { systemClock } from "../../src/lib/clock.ts"
import { createMemoryStore } from "../../src/server/memoryStore.ts"
import { DEFAULT_SERVER_LIMITS } from "../../src/server/serverLimits.ts"
import { createSessionService } from "../../src/server/sessionService.ts"
import type { Row } from "../table.ts"

const IN_FLIGHT = 1_000
const WARM_UP = 2_000
const DISPATCHES = 5_000

const HOUR_MS = 3_600_000
const limits = { ...DEFAULT_SERVER_LIMITS, maxPendingCalls: IN_FLIGHT + 1, maxCallsPerMinute: 1e9 }

/** Microseconds of processor time for a call that is made, acked and answered in a session that has so many of them. */
async function stepsWith(inFlight: number): Promise<number> {
  const service = createSessionService({ store: createMemoryStore({ clock: systemClock, maxLoggedEvents: limits.maxLoggedEvents }), limits, tell() {}, isObserved: false })
  const now = Date.now()
  const access = { sessionId: "s", tokenId: "t", issuedAt: now, expiresAt: now + HOUR_MS }
  await service.open("s", access.expiresAt)
  const tools = [{ name: "echo", description: "Echo.", parameters: { type: "object" } }]
  const { id } = await service.register(access, { name: "web", instance_id: "i", load_id: "l", lifetime: { type: "never" }, tools })
  const waiting: string[] = []
  const call = async (): Promise<void> => void waiting.push(await service.call("s", { tool: "client__web__echo", arguments: { text: "hello" }, idempotency: null }, { who: "bench", traceparent: null }))
  for (let made = 0; made < inFlight; made++) await call()
  const dispatch = async (): Promise<void> => {
    const callId = waiting.shift() ?? ""
    await service.ack(access, id, { call_ids: [callId] })
    await service.answer(access, id, { call_id: callId, text: "hello", is_error: false })
    await call()
  }
  for (let done = 0; done < WARM_UP; done++) await dispatch()
  const before = process.cpuUsage()
  for (let done = 0; done < DISPATCHES; done++) await dispatch()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / DISPATCHES
}

/** What a session's own work costs, without HTTP: whether it grows with the calls that are in flight. */
export async function benchSteps(): Promise<Row[]> {
  const [one, many] = [await stepsWith(1), await stepsWith(IN_FLIGHT)]
  return [
    {
      what: `a dispatch's steps in a session with ${IN_FLIGHT.toLocaleString("en")} calls in flight`,
      ours: `${many.toFixed(0)} µs`,
      beside: `${one.toFixed(0)} µs with one`,
      ratio: `${(many / one).toFixed(2)}x`,
      goal: "1.5x or less",
    },
  ]
}
