import { fork } from "node:child_process"
import { once } from "node:events"
import { builtServer } from "./builtServer.ts"
import type { Usage } from "./serverProcess.ts"

export interface ServerProcess {
  readonly url: string
  usage(): Promise<Usage & { readonly rss: number }>
  /** As a machine that fails: at once, and nothing is said. */
  kill(): Promise<void>
}

/**
 * @param port - The same as before for one that is started again; any otherwise.
 * @param redisUrl - Where it keeps its sessions; in its memory otherwise.
 */
export async function startServer(kind: "ours" | "bare", port = 0, redisUrl = ""): Promise<ServerProcess> {
  const child = fork(await builtServer(), [kind, String(port), redisUrl], { execArgv: [] })
  const [{ url }] = (await once(child, "message")) as [{ url: string }]
  return {
    url,
    async usage() {
      child.send("usage")
      const [usage] = (await once(child, "message")) as [Usage & { readonly rss: number }]
      return usage
    },
    async kill() {
      child.kill("SIGKILL")
      await once(child, "exit")
    },
  }
}
