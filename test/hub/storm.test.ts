import type { Duplex } from "node:stream"
import { expect, it } from "vitest"
import { WebSocket } from "ws"
import { createHubClient } from "../../src/hub/index.ts"
import { createFakeClock } from "../../src/testing/fakeClock.ts"
import { forecastTool, untilStatus } from "./support/client.ts"
import { startHub } from "./support/hub.ts"

const CLIENTS = 200

/** Sessions of one user hear of each other's remotes. */
const USERS = 20

it(`a reconnect storm of ${CLIENTS} clients: all come back under their names, spread out, and answer`, async () => {
  const { url, hub, http } = await startHub()
  const arrivals: number[] = []
  const clock = createFakeClock({ random: seeded(7) })
  const sockets = new Set<Duplex>()
  http.on("upgrade", (_request, socket) => {
    arrivals.push(clock.now())
    sockets.add(socket)
  })
  const pages = Array.from({ length: CLIENTS }, (_, index) => {
    const client = createHubClient({ url, auth: { token: userOf(index) }, WebSocket, clock, onError: () => {} })
    const remote = client.createToolClient(`remote-${index}`)
    remote.addTool("who", forecastTool(() => index))
    return { client, remote }
  })
  await Promise.all(pages.map(({ remote }) => remote.ready))
  const remotes = () => Array.from({ length: USERS }, (_, user) => hub.remotesOf(userOf(user)).list()).flat()
  expect(remotes()).toHaveLength(CLIENTS)

  arrivals.length = 0
  const lost = Promise.all(pages.map(({ remote }) => untilStatus(remote, "joining")))
  for (const socket of sockets) socket.destroy()
  await lost
  const begunAt = clock.now()
  const back = Promise.all(pages.map(({ remote }) => untilStatus(remote, "serving")))
  // In steps, so that those whose turn it is can connect meanwhile.
  for (let step = 0; step < 10; step++) await clock.advance(50)
  await back

  const buckets = new Map<number, number>()
  for (const at of arrivals) buckets.set(Math.floor((at - begunAt) / 100), (buckets.get(Math.floor((at - begunAt) / 100)) ?? 0) + 1)
  expect(arrivals).toHaveLength(CLIENTS)
  expect(Math.max(...buckets.values())).toBeLessThanOrEqual((3 * CLIENTS) / 5)
  expect(remotes()).toHaveLength(CLIENTS)
  expect(await Promise.all(pages.map(({ client }, index) => client.call(`remote-${index}`, "who")))).toEqual(pages.map((_, index) => index))
  await Promise.all(pages.map(({ client }) => client.close()))
  expect(clock.pending).toBe(0)
}, 30_000)

const userOf = (index: number): string => `user-${index % USERS}`

/** The same numbers at each run (Park and Miller's generator). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
