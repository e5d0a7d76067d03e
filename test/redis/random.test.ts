import { expect, test } from "vitest"
import { seeded } from "../faults/random.ts"
import { createBalancer } from "./support/createBalancer.ts"
import { type Call, createLedger } from "./support/createLedger.ts"
import { createRedisProxy, type Fate } from "./support/redisProxy.ts"
import { describeWithRedis, startRedis } from "./support/startRedis.ts"
import { startServer } from "./support/startServer.ts"
import { until as settled } from "./support/until.ts"

/** How long things go wrong, in milliseconds: where Redis keeps all that it was told, and where it forgets it all with each crash. */
const RUNS = [
  { keeps: "everything", runMs: 15_000 },
  { keeps: "nothing", runMs: 8_000 },
] as const

/** Calls that are under way at a time. */
const AT_ONCE = 6

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describeWithRedis("Any faults in any order", () => {
  test.each(RUNS)("Processes, connections and a Redis that keeps $keeps die at random: every call ends once, and no tool runs twice.", { timeout: 120_000 }, ({ keeps, runMs }) =>
    seeded(async (random) => {
      const redis = await startRedis({ keeps })
      const links = [await createRedisProxy(redis.port), await createRedisProxy(redis.port)]
      const servers = await Promise.all(links.map((link) => startServer(link.url)))
      const ports = servers.map(({ port }) => port)
      const agentSide = await createBalancer(ports)
      const pageSide = await createBalancer(ports.toReversed())
      const ledger = createLedger({ pageUrl: pageSide.url, agentUrl: agentSide.url })
      const sessionId = await ledger.createSession()
      await ledger.openPage(sessionId, { workMs: () => (random.chance(0.3) ? random.below(200) : 0) })

      const until = Date.now() + runMs
      const calls: Call[] = []
      async function agent(): Promise<void> {
        while (Date.now() < until) {
          const call = ledger.call(sessionId)
          calls.push(call)
          await call.end
          await pause(random.below(20))
        }
      }

      const done: Record<string, number> = {}
      const faults: Record<string, () => Promise<void> | void> = {
        async killServer() {
          const server = random.pick(servers)
          server.kill()
          await pause(random.below(500))
          await server.start()
        },
        async killInWrite() {
          const which = random.below(2)
          const link = links[which]!
          const fate: Fate = random.chance(0.5) ? "lostBefore" : "lostAfter"
          let after = random.below(10)
          link.decide = () => (after-- > 0 ? "pass" : fate)
          link.onLost = () => servers[which]!.kill()
          await pause(500)
          link.decide = undefined
          if (!servers[which]!.isRunning) await servers[which]!.start()
        },
        async loseWrites() {
          const link = random.pick(links)
          link.decide = () => (random.chance(0.3) ? random.pick(["lostBefore", "lostAfter"] as const) : "pass")
          await pause(300)
          link.decide = undefined
        },
        /** For longer than a step's time may be off: what it writes afterwards is of before. */
        async freezeServer() {
          const server = random.pick(servers)
          server.freeze()
          await pause(500 + random.below(1_500))
          server.thaw()
        },
        cutLink: () => random.pick(links).cut(),
        cutPages: () => pageSide.cut(),
        cutAgents: () => agentSide.cut(),
        swap() {
          pageSide.order = pageSide.order.toReversed()
        },
        async killRedis() {
          await redis.kill()
          await pause(random.below(300))
          await redis.start()
        },
        async freezeRedis() {
          redis.freeze()
          await pause(random.below(800))
          redis.thaw()
        },
      }
      const agents = Promise.all(Array.from({ length: AT_ONCE }, agent))
      while (Date.now() < until) {
        const name = random.pick(Object.keys(faults))
        await faults[name]!()
        done[name] = (done[name] ?? 0) + 1
        await pause(random.below(300))
      }
      for (const server of servers) if (!server.isRunning) await server.start()
      await agents

      const ends = await Promise.all(calls.map(async (call) => ({ call, end: await call.end })))
      ledger.check(ends)
      expect(ends.length).toBeGreaterThan(AT_ONCE)
      if (keeps === "everything") {
        // The page has lived all the time, and Redis has kept all it was told: there is no reason for an error.
        expect(ends.filter(({ end }) => end.type !== "settled" || end.is_error)).toEqual([])
        for (const { call, end } of ends.slice(-50)) expect(await ledger.ask(sessionId, call)).toEqual(end)
      }
      // And all is well again.
      await settled(async () => {
        const end = await ledger.call(sessionId).end
        return end.type === "settled" && !end.is_error
      })
      console.log(`${ends.length} calls; faults: ${Object.entries(done).map(([name, count]) => `${count} ${name}`).join(", ")}`)
      await ledger.close()
    }),
  )
})
