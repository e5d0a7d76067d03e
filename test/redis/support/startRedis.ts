import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { describe } from "vitest"
import { findRedisServer, findValkeyServer, HOW_TO_GET_REDIS, HOW_TO_GET_VALKEY } from "../../../scripts/lib/redisServer.mjs"
import { atEndOfFile } from "./atEndOfFile.ts"

/** Which of the two the test file runs on: the project's to say. */
const isOnValkey = process.env["REDIS_TESTS_ON"] === "valkey"
const program = isOnValkey ? findValkeyServer() : findRedisServer()
if (program === undefined) console.warn(isOnValkey ? HOW_TO_GET_VALKEY : HOW_TO_GET_REDIS)

/** Runs its tests where there is a Redis, or a Valkey in the project that is for it; else they are skipped, and it was said why. */
export const describeWithRedis = describe.skipIf(program === undefined)

export interface RunningRedis {
  readonly port: number
  readonly url: string
  /** For a test to look at what is there. */
  readonly client: Redis
  /** Ends it as a crash does. */
  kill(): Promise<void>
  /** Starts it again on the same port, with what it has kept. */
  start(): Promise<void>
  /** Stops it from running without ending it, and lets it go on. */
  freeze(): void
  thaw(): void
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("No port")
  return address.port
}

/**
 * Starts a Redis of the test file's own, which ends with it.
 *
 * @param options.keeps - What survives a crash: every write, or nothing.
 * @param options.args - More of its settings, as on its command line.
 */
export async function startRedis({ keeps = "nothing", args: more = [] }: { readonly keeps?: "everything" | "nothing"; readonly args?: readonly string[] } = {}): Promise<RunningRedis> {
  const folder = mkdtempSync(join(tmpdir(), "redis-"))
  const port = await freePort()
  const persistence = keeps === "everything" ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"]
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--logfile", join(folder, "log"), ...persistence, ...more]
  const client = new Redis(port, "127.0.0.1", { lazyConnect: true, maxRetriesPerRequest: null, retryStrategy: () => 20 })
  client.on("error", () => {})
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    child = spawn(program!, args, { stdio: "ignore" })
    if (client.status === "wait") void client.connect().catch(() => {})
    await client.ping()
  }
  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  }
  atEndOfFile(async () => {
    client.disconnect()
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  return { port, url: `redis://127.0.0.1:${port}`, client, kill, start, freeze: () => child?.kill("SIGSTOP"), thaw: () => child?.kill("SIGCONT") }
}

/**
 * Starts a Sentinel of the test file's own, which watches the primary and makes a replica the primary when that has been silent for a second.
 *
 * @returns its port
 */
export async function startSentinel(name: string, primary: RunningRedis): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "sentinel-"))
  const port = await freePort()
  const settings = [`port ${port}`, "bind 127.0.0.1", `dir ${folder}`, `sentinel monitor ${name} 127.0.0.1 ${primary.port} 1`, `sentinel down-after-milliseconds ${name} 1000`, `sentinel failover-timeout ${name} 3000`]
  // It writes down there what it knows.
  writeFileSync(join(folder, "sentinel.conf"), settings.join("\n"))
  const child = spawn(program!, [join(folder, "sentinel.conf"), "--sentinel"], { stdio: "ignore" })
  atEndOfFile(async () => {
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  const client = new Redis(port, "127.0.0.1", { maxRetriesPerRequest: null, retryStrategy: () => 20 })
  client.on("error", () => {})
  await client.ping()
  client.disconnect()
  return port
}
