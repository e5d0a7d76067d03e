import { Redis } from "ioredis"
import { COMMIT, READ } from "../../src/server/redis/redisScripts.ts"
import { median, milliseconds, type Row } from "../table.ts"
import { type DelayedRedis, startDelayedRedis } from "./delayedRedis.ts"
import { openRawPage, post } from "./rawPage.ts"
import { startServer } from "./startServer.ts"

/** Far longer than the machine's own time for a round trip. */
const ONE_WAY_MS = 5

const CALLS = 150
const WARM_CALLS = 10

/** In two halves and the middle, of milliseconds that were sorted. */
function spreadOf(samples: readonly number[]): string {
  const sorted = [...samples].sort((one, other) => one - other)
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN
  return `half of them ${milliseconds(at(0.25))} to ${milliseconds(at(0.75))}`
}

async function timed(count: number, run: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = []
  for (let index = -WARM_CALLS; index < count; index++) {
    const began = performance.now()
    await run()
    if (index >= 0) samples.push(performance.now() - began)
  }
  return samples
}

/** Calls one after the other; the page is at the one server, the agent at the other. */
async function latencies(pageUrl: string, agentUrl: string, around: (run: () => Promise<number[]>) => Promise<number[]> = (run) => run()): Promise<number[]> {
  const page = await openRawPage(pageUrl, "web")
  const url = `${agentUrl}/v1/sessions/${page.sessionId}/tool-calls?wait=30`
  try {
    return await around(() => timed(CALLS, () => post(url, { tool: "client__web__echo", arguments: { text: "hello" } })))
  } finally {
    page.close()
  }
}

async function ofPing(url: string): Promise<number[]> {
  const client = new Redis(url)
  const samples = await timed(CALLS, () => client.ping())
  client.disconnect()
  return samples
}

/** Scripts that Redis has run meanwhile, for each call. */
async function counted(redis: DelayedRedis, run: () => Promise<number[]>): Promise<{ samples: number[]; scripts: number }> {
  const client = new Redis(redis.url)
  const monitor = await client.monitor()
  let scripts = 0
  monitor.on("monitor", (_time: string, [command = "", sha = ""]: string[]) => {
    if (command === "evalsha" && (sha === COMMIT.sha || sha === READ.sha)) scripts++
  })
  const samples = await run()
  await client.ping()
  monitor.disconnect()
  client.disconnect()
  return { samples, scripts: scripts / (CALLS + WARM_CALLS) }
}

async function withServers<Result>(url: string, run: (page: string, agent: string) => Promise<Result>): Promise<Result> {
  const servers = await Promise.all([startServer("ours", 0, url), startServer("ours", 0, url)])
  try {
    return await run(servers[0].url, servers[1].url)
  } finally {
    await Promise.all(servers.map((server) => server.kill()))
  }
}

interface Measured {
  readonly samples: number[]
  readonly ping: number[]
  readonly scripts: number
}

async function measure(redis: DelayedRedis, url: string): Promise<Measured> {
  const ping = await ofPing(url)
  const { samples, scripts } = await withServers(url, (page, agent) => {
    let measured = { samples: [] as number[], scripts: 0 }
    return latencies(page, agent, async (run) => (measured = await counted(redis, run)).samples).then(() => measured)
  })
  return { ping, samples, scripts }
}

/** What Redis adds to a dispatch, from the agent's request to its answer: counted, and in multiples of a bare round trip to it. */
export async function benchRedis(): Promise<Row[]> {
  const redis = await startDelayedRedis(ONE_WAY_MS)
  if (!redis) {
    console.warn("bench: no redis-server was found; its rows are left out.")
    return []
  }
  const alone = await startServer("ours")
  const without = median(await latencies(alone.url, alone.url))
  await alone.kill()
  const [near, far] = [await measure(redis, redis.url), await measure(redis, redis.farUrl)]
  await redis.close()
  // What the machine itself takes is in both, and falls out.
  const way = far.samples.map((sample) => sample - median(near.samples))
  const ping = far.ping.map((sample) => sample - median(near.ping))
  return [
    {
      what: "round trips to Redis that a dispatch takes, its answer coming at once: scripts, counted",
      ours: far.scripts.toFixed(2),
      beside: "",
      ratio: "",
      goal: "2 or less",
    },
    {
      what: `what a Redis that is ${2 * ONE_WAY_MS} ms further away adds to a dispatch between two processes`,
      ours: `${milliseconds(median(way))} (${spreadOf(way)})`,
      beside: `${milliseconds(median(ping))} to a bare PING (${spreadOf(ping)})`,
      ratio: `${(median(way) / median(ping)).toFixed(2)}x`,
      goal: "2x or less",
    },
    {
      what: "what two processes and a Redis add to it, all on the same two cores",
      ours: `${milliseconds(median(near.samples) - without)} (${spreadOf(near.samples.map((sample) => sample - without))})`,
      beside: `${milliseconds(without)} in one process, in memory`,
      ratio: "",
      goal: "",
    },
  ]
}
