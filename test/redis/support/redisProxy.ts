import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { afterEach } from "vitest"
import { COMMIT } from "../../../src/server/redis/redisScripts.ts"
import { atEndOfFile } from "./atEndOfFile.ts"

/** What becomes of a write on its way to Redis: it arrives, is lost, arrives and its answer is lost, or arrives late. */
export type Fate = "pass" | "lostBefore" | "lostAfter" | "late"

/** How late that is, in milliseconds: more than a step's time may be off. */
const LATE_MS = 800

export interface RedisProxy {
  readonly url: string
  /** Asked for each write. What is lost takes its connection with it, and `onLost` is told before. */
  decide: (() => Fate) | undefined
  onLost: (() => void) | undefined
  /** Cuts all connections. */
  cut(): void
  /** Leads to another Redis from the next connection on, as a name does after a failover. */
  port: number
  /** Passes nothing on, and says nothing of it. */
  isSilent: boolean
  /** Passes nothing back on connections that listen to channels, and says nothing of it. Those that are opened later are well. */
  deafen(): void
  close(): Promise<void>
}

const proxies: RedisProxy[] = []
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close()
})

/** Stands between a server process and Redis, and knows a write when it sees one. */
export async function createRedisProxy(redisPort: number, { forFile = false }: { readonly forFile?: boolean } = {}): Promise<RedisProxy> {
  const sockets = new Set<Socket>()
  const deafeners = new Set<() => void>()
  const server = createServer((near) => {
    const far = connect(proxy.port, "127.0.0.1")
    let isLosing = false
    let isListener = false
    let isDeaf = false
    const deafen = (): void => {
      isDeaf = isListener
    }
    deafeners.add(deafen)
    const cut = (): void => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on("error", cut)
      socket.on("close", () => {
        sockets.delete(socket)
        cut()
      })
    }
    near.on("data", (bytes) => {
      if (proxy.isSilent) return
      const text = bytes.toString("latin1")
      isListener ||= /subscribe/i.test(text)
      const fate = text.includes(COMMIT.sha) || text.includes("local made = ") ? (proxy.decide?.() ?? "pass") : "pass"
      if (fate === "lostBefore") {
        proxy.onLost?.()
        return cut()
      }
      isLosing ||= fate === "lostAfter"
      if (fate === "late") setTimeout(() => far.write(bytes), LATE_MS)
      else far.write(bytes)
    })
    far.on("data", (bytes) => {
      if (proxy.isSilent || isDeaf) return
      if (isLosing) {
        proxy.onLost?.()
        return cut()
      }
      near.write(bytes)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  const proxy: RedisProxy = {
    url: `redis://127.0.0.1:${port}`,
    port: redisPort,
    decide: undefined,
    onLost: undefined,
    isSilent: false,
    deafen() {
      for (const deafen of deafeners) deafen()
    },
    cut() {
      for (const socket of [...sockets]) socket.destroy()
    },
    async close() {
      server.close()
      proxy.cut()
      if (server.listening) await once(server, "close")
    },
  }
  if (forFile) atEndOfFile(() => proxy.close())
  else proxies.push(proxy)
  return proxy
}
