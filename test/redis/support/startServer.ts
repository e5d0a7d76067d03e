import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { atEndOfFile } from "./atEndOfFile.ts"
import { API_KEY, SECRET } from "./openServer.ts"

const PROGRAM = fileURLToPath(new URL("../programs/server.ts", import.meta.url))

export interface ServerProcess {
  /** Where it listens, again and again on the same port. */
  readonly port: number
  readonly isRunning: boolean
  /** Ends it as a crash does; at once, so that nothing more comes from it. */
  kill(): void
  /** Stops it from running without ending it, and lets it go on where it was. */
  freeze(): void
  thaw(): void
  start(): Promise<void>
  /** What it has said. */
  readonly output: string
}

/** Starts a server process, which ends with the test file. */
export async function startServer(redisUrl: string): Promise<ServerProcess> {
  let child: ChildProcess | undefined
  let port = 0
  let output = ""
  async function start(): Promise<void> {
    const started = spawn(process.execPath, ["--import", "tsx", PROGRAM], {
      env: { ...process.env, NODE_OPTIONS: "", REDIS_URL: redisUrl, API_KEY, SECRET, PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
    })
    child = started
    let said = ""
    await new Promise<void>((resolve, reject) => {
      for (const stream of [started.stdout, started.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          said += text
          output += text
          const url = /^http:\/\/127\.0\.0\.1:(\d+)$/m.exec(said)
          if (!url) return
          port = Number(url[1])
          resolve()
        })
      }
      started.once("exit", () => reject(new Error(`The server has ended: ${said}`)))
    })
  }
  const kill = (): void => {
    child?.kill("SIGKILL")
    child = undefined
  }
  atEndOfFile(async () => {
    const ending = child
    kill()
    if (ending && ending.exitCode === null && ending.signalCode === null) await once(ending, "exit")
  })
  await start()
  return {
    get port() {
      return port
    },
    get isRunning() {
      return child !== undefined
    },
    get output() {
      return output
    },
    kill,
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    start,
  }
}
