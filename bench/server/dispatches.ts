import { median, type Row } from "../table.ts"
import { closeIdle, openRawPage, post } from "./rawPage.ts"
import { startServer } from "./startServer.ts"

const SESSIONS = 50
const CALLS_AT_ONCE = 2
const ROUNDS = 7
const CALLS_A_ROUND = 4_000

interface Throughput {
  readonly perSecond: number
  /** Of the server, for one dispatch. */
  readonly cpuMs: number
}

async function prepare(kind: "ours" | "bare") {
  const server = await startServer(kind)
  const pages = await Promise.all(Array.from({ length: SESSIONS }, () => openRawPage(server.url, "web")))
  return {
    async round(): Promise<Throughput> {
      const before = await server.usage()
      const began = performance.now()
      let left = CALLS_A_ROUND
      await Promise.all(
        pages.flatMap(({ root }) =>
          Array.from({ length: CALLS_AT_ONCE }, async () => {
            while (left-- > 0) await post(`${root}/tool-calls?wait=30`, { tool: "client__web__echo", arguments: { text: "hello" } })
          }),
        ),
      )
      const seconds = (performance.now() - began) / 1000
      const after = await server.usage()
      // The other server's turn may last longer than this one keeps a connection that nobody uses.
      await closeIdle()
      return { perSecond: CALLS_A_ROUND / seconds, cpuMs: (after.cpu - before.cpu) / CALLS_A_ROUND }
    },
    async close() {
      for (const page of pages) page.close()
      await server.kill()
    },
  }
}

/** An agent's request, its dispatch, an ack and an answer, a hundred at a time, beside the same by hand. */
export async function benchDispatches(): Promise<Row[]> {
  const [ours, bare] = [await prepare("ours"), await prepare("bare")]
  const rounds: { ours: Throughput; bare: Throughput }[] = []
  for (let round = -1; round < ROUNDS; round++) {
    const measured = { ours: await ours.round(), bare: await bare.round() }
    if (round >= 0) rounds.push(measured)
  }
  await Promise.all([ours.close(), bare.close()])
  const of = (read: (round: { ours: Throughput; bare: Throughput }) => number): number => median(rounds.map(read))
  const [perSecond, barePerSecond] = [of((r) => r.ours.perSecond), of((r) => r.bare.perSecond)]
  const [cpu, bareCpu] = [of((r) => r.ours.cpuMs), of((r) => r.bare.cpuMs)]
  return [
    {
      what: "dispatches a second, page and agent on the same two cores",
      ours: perSecond.toFixed(0),
      beside: `${barePerSecond.toFixed(0)} bare node:http`,
      ratio: `${(perSecond / barePerSecond).toFixed(2)}x`,
      goal: "0.8x or more",
    },
    {
      what: "the server's processor time a dispatch",
      ours: `${cpu.toFixed(2)} ms`,
      beside: `${bareCpu.toFixed(2)} ms bare node:http`,
      ratio: `${(cpu / bareCpu).toFixed(2)}x`,
      goal: "",
    },
  ]
}
