import { createSessionClient } from "../src/client.ts"
import { createSessionServer, serve } from "../src/server/index.ts"
import { collectGarbage } from "../test/faults/collectGarbage.ts"
import type { Row } from "./table.ts"

const CALLS = 100_000
/** The heap is looked at after these first ones, when all that is kept for good (the last settled calls, answers) is full, and at the end. */
const FIRST_CALLS = 20_000
const IN_FLIGHT = 100
const MIB = 1024 ** 2

function heap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** What 100,000 calls through one client and one server, in one process, leave behind. */
export async function benchMemory(): Promise<Row[]> {
  const server = createSessionServer({ apiKey: "bench", secret: "a secret of at least thirty-two bytes", limits: { maxCallsPerMinute: 1e9, maxRequestsPerMinute: 1e9 }, logger: { warn() {}, error: console.error } })
  const { url, close } = await serve(server)
  const { id, token } = await server.createSession()
  const session = createSessionClient({ baseUrl: url, getToken: () => token }).open(id)
  const tools = session.createToolClient("web", { lifetime: { type: "never" } })
  tools.addTool("echo", { description: "Echo.", parameters: { type: "object", properties: {} }, execute: (args) => args as object })
  await tools.ready

  let calls = 0
  const callUntil = async (count: number): Promise<void> => {
    for (; calls < count; calls += IN_FLIGHT) {
      await Promise.all(Array.from({ length: IN_FLIGHT }, (_, index) => server.callTool(id, "client__web__echo", { number: calls + index })))
    }
  }
  await callUntil(FIRST_CALLS)
  const before = heap()
  await callUntil(CALLS)
  const after = heap()

  await session.close()
  await server.close()
  await close()
  return [
    {
      what: `heap of client and server after ${CALLS.toLocaleString("en")} calls`,
      ours: `${(after / MIB).toFixed(1)} MiB`,
      beside: `${(before / MIB).toFixed(1)} MiB after ${FIRST_CALLS.toLocaleString("en")}`,
      ratio: `${(after / before).toFixed(2)}x`,
      goal: "flat",
    },
  ]
}
