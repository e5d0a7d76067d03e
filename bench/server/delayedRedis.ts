// A Redis that is as far away as one in another zone of a data centre, and further: by a known time that does not drown in the machine's own.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { findRedisServer } from "../../scripts/lib/redisServer.mjs"

export interface DelayedRedis {
  /** At its place. */
  readonly url: string
  /** As far away as was asked for. */
  readonly farUrl: string
  close(): Promise<void>
}

/** Passes bytes on in order, each `ms` later. */
function passOn(from: Socket, to: Socket, ms: number): void {
  from.setNoDelay(true)
  from.on("data", (bytes: Buffer) => void setTimeout(() => to.writable && to.write(bytes), ms))
  from.on("close", () => to.destroy())
  from.on("error", () => to.destroy())
}

async function listen(redisPort: number, ms: number): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((near) => {
    const far = connect(redisPort, "127.0.0.1")
    passOn(near, far, ms)
    passOn(far, near, ms)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return { port: (server.address() as { port: number }).port, close: () => void server.close() }
}

async function freePort(): Promise<number> {
  const { port, close } = await listen(0, 0)
  close()
  return port
}

/** undefined where there is no Redis to start. */
export async function startDelayedRedis(oneWayMs: number): Promise<DelayedRedis | undefined> {
  const program = findRedisServer()
  if (program === undefined) return undefined
  const [folder, port] = [mkdtempSync(join(tmpdir(), "bench-redis-")), await freePort()]
  const child: ChildProcess = spawn(program, ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"], { stdio: "ignore" })
  const client = new Redis(port, "127.0.0.1", { maxRetriesPerRequest: null, retryStrategy: () => 20 })
  client.on("error", () => {})
  await client.ping()
  client.disconnect()
  const far = await listen(port, oneWayMs)
  return {
    url: `redis://127.0.0.1:${port}`,
    farUrl: `redis://127.0.0.1:${far.port}`,
    async close() {
      far.close()
      child.kill("SIGKILL")
      await once(child, "exit")
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
