import { z } from "zod"
import { createSessionClient } from "../src/client.ts"
import { createSessionServer, serve } from "../src/server/index.ts"
import { startBareClient } from "./bareClient.ts"
import { median, milliseconds, type Row } from "./table.ts"

/** How many calls at once, and how often that is measured. */
const ROUNDS: readonly (readonly [inFlight: number, rounds: number])[] = [
  [1, 150],
  [100, 15],
  [1_000, 7],
]

/** Rounds before the first that counts. */
const WARM_UP = 3

/** Far above what one session of the bench does: the server's limits are not what is measured. */
const LIMITS = { maxSessionSize: 1e9, maxCallsPerMinute: 1e9, maxRequestsPerMinute: 1e9, maxPendingCalls: 1e4, maxLoggedEvents: 1e4, maxStreamQueueBytes: 1e8 }

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

  /** Milliseconds that went by, and that processors worked: for the client and for the server, which are one process. */
  async function time(tool: string, inFlight: number): Promise<{ readonly elapsed: number; readonly worked: number }> {
    const [began, before] = [performance.now(), process.cpuUsage()]
    await Promise.all(Array.from({ length: inFlight }, (_, index) => server.callTool(id, tool, { text: `number ${index}` })))
    const { user, system } = process.cpuUsage(before)
    return { elapsed: performance.now() - began, worked: (user + system) / 1_000 }
  }

  const rows: Row[] = []
  for (const [inFlight, rounds] of ROUNDS) {
    const ours: Awaited<ReturnType<typeof time>>[] = []
    const bare: typeof ours = []
    for (let round = -WARM_UP; round < rounds; round++) {
      // Taken in turns, so that what the machine does meanwhile meets both.
      const [one, other] = [await time("client__ours__echo", inFlight), await time("client__bare__echo", inFlight)]
      if (round < 0) continue
      ours.push(one)
      bare.push(other)
    }
    for (const [measure, what, goal] of [["elapsed", "round trip", "1.15x or less"], ["worked", "processor time of the round trip", ""]] as const) {
      const [one, other] = [ours, bare].map((samples) => median(samples.map((sample) => sample[measure]))) as [number, number]
      rows.push({ what: `${what}, ${inFlight} in flight`, ours: milliseconds(one), beside: `${milliseconds(other)} bare fetch + event stream`, ratio: `${(one / other).toFixed(2)}x`, goal })
    }
  }

  stopBare()
  await session.close()
  await server.close()
  await close()
  return rows
}
