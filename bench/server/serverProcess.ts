// A server in a process of its own, so that its memory and its time are its own. Talks to the bench by messages.
import { createSessionServer, serve } from "../../src/server/index.ts"
import { redisStore } from "../../src/server/redis/index.ts"
import { collectGarbage } from "../../test/faults/collectGarbage.ts"
import { startBareServer } from "./bareServer.ts"

export interface Usage {
  /** Bytes after a garbage collection, what sockets hold outside of the heap included. */
  readonly memory: number
  /** Milliseconds of processor time so far. */
  readonly cpu: number
}

/** Far above what one session of the bench does: its limits are not what is measured. */
const LIMITS = { maxCallsPerMinute: 1e9, maxRequestsPerMinute: 1e9 }

const [kind, port = "0", redisUrl = ""] = process.argv.slice(2)

if (kind === "bare") {
  const { url } = await startBareServer()
  process.send?.({ url })
} else {
  const server = createSessionServer({ apiKey: "bench", secret: "a secret of at least thirty-two bytes", limits: LIMITS, ...(redisUrl !== "" && { store: redisStore({ url: redisUrl }) }) })
  const { url } = await serve(server, { port: Number(port) })
  process.send?.({ url })
}

process.on("message", () => {
  collectGarbage()
  const { heapUsed, external, rss } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  process.send?.({ memory: heapUsed + external, rss, cpu: (user + system) / 1000 })
})
