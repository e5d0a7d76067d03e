import { z } from "zod"
import { createSessionClient } from "../src/client.ts"
import { createSessionServer, serve } from "../src/server/index.ts"
import { startBareClient } from "./bareClient.ts"
import { median, milliseconds, type Row } from "./table.ts"

const ROUNDS = 15
/** What a session may have waiting by default; a thousand at once is refused, and no session has so many. */
const MAX_IN_FLIGHT = 250

/** Far above what one session of the bench does: the server's limits are not what is measured. */
const LIMITS = { maxCallsPerMinute: 1e9, maxRequestsPerMinute: 1e9, maxPendingCalls: 1e4, maxLoggedEvents: 1e4, maxStreamQueueBytes: 1e8 }

/** A call from the agent's side of the server to the page and back, beside a bare loop of `fetch` and an event stream on the same server. */
export async function benchRoundTrip(): Promise<Row[]> {
  const server = createSessionServer({ apiKey: "bench", secret: "a secret of at least thirty-two bytes", limits: LIMITS, logger: { warn() {}, error: console.error } })
  const { url, close } = await serve(server)
  const { id, token } = await server.createSession()

  const session = createSessionClient({ baseUrl: url, getToken: () => token }).open(id)
  const tools = session.createToolClient("ours", { lifetime: { type: "never" } })
  tools.addTool("echo", {
    description: "Echo.",
    schema: z.object({ text: z.string() }),
    execute: ({ text }) => text,
  })
  await tools.ready
  const stopBare = await startBareClient(url, id, token, (args) => (args as { text: string }).text)

  async function time(tool: string, inFlight: number): Promise<number> {
    const began = performance.now()
    await Promise.all(Array.from({ length: inFlight }, (_, index) => server.callTool(id, tool, { text: `number ${index}` })))
    return performance.now() - began
  }

  const rows: Row[] = []
  for (const inFlight of [1, 100, MAX_IN_FLIGHT]) {
    const ours: number[] = []
    const bare: number[] = []
    for (let round = -3; round < ROUNDS * (inFlight === 1 ? 10 : 1); round++) {
      // Taken in turns, so that what the machine does meanwhile meets both.
      const [one, other] = [await time("client__ours__echo", inFlight), await time("client__bare__echo", inFlight)]
      if (round < 0) continue
      ours.push(one)
      bare.push(other)
    }
    rows.push({
      what: `round trip, ${inFlight} in flight`,
      ours: milliseconds(median(ours)),
      beside: `${milliseconds(median(bare))} bare fetch + event stream`,
      ratio: `${(median(ours) / median(bare)).toFixed(2)}x`,
      goal: "1.15x or less",
    })
  }

  stopBare()
  await session.close()
  await server.close()
  await close()
  return rows
}
