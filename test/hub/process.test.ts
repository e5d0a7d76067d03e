// What a Node process with a hub client does when it has nothing else to do: a client of a session and one of a hub are alike.
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startHub } from "./support/hub.ts"
import { startScriptedHub } from "./support/scriptedHub.ts"

const ROOT = join(import.meta.dirname, "../..")
let folder: string
let client: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-client-"))
  client = join(folder, "client.mjs")
  await build({
    entryPoints: [join(ROOT, "src/hub/index.ts")],
    outfile: client,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    alias: { "#webSocket": join(ROOT, "src/hub/webSocketNode.ts"), ws: join(ROOT, "node_modules/ws/wrapper.mjs") },
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "silent",
  })
}, 60_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

interface Run {
  /** Resolves with the next line that the process prints. */
  line(): Promise<string>
  readonly exited: Promise<{ readonly code: number | null; readonly errors: string }>
}

/** Runs a module in a process of its own, which has `hub`, and `serve(execute)`. */
function run(url: string, body: string): Run {
  const source = `
    import { createHubClient } from ${JSON.stringify(`file://${client}`)}
    const hub = createHubClient({ url: ${JSON.stringify(url)}, auth: { token: "ada" } })
    const serve = async (execute) => {
      const weather = hub.createToolClient("weather-service")
      weather.addTool("get_forecast", { description: "Forecast.", parameters: { type: "object" }, execute })
      await weather.ready
    }
    ${body}
  `
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], { stdio: ["ignore", "pipe", "pipe"] })
  const lines: string[] = []
  const waiting: ((line: string) => void)[] = []
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    for (const line of text.split("\n").filter(Boolean)) {
      const next = waiting.shift()
      if (next) next(line)
      else lines.push(line)
    }
  })
  let errors = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
  return {
    line: () => {
      const line = lines.shift()
      return line === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(line)
    },
    exited: new Promise((resolve) => child.once("exit", (code) => resolve({ code, errors }))),
  }
}

describe("a Node process with an open hub client", () => {
  it("ends when it has nothing else to do", async () => {
    const { url, session } = await startHub()
    const watcher = await session()
    const process = run(url, `await serve(() => "sunny"); console.log("serving")`)
    expect(await process.line()).toBe("serving")
    expect(await process.exited).toEqual({ code: 0, errors: "" })
    await watcher.nextWhere(({ action }) => action === "remote-disconnected")
  })

  it("stays while a call is being answered, and the answer gets out", async () => {
    const { url, session } = await startHub()
    const agent = await session()
    const process = run(
      url,
      `
      const timer = setInterval(() => {}, 1_000)
      await serve(() => {
        clearInterval(timer)
        return new Promise((resolve) => setTimeout(() => resolve("sunny"), 50).unref())
      })
      console.log("serving")
      `,
    )
    expect(await process.line()).toBe("serving")
    expect(await agent.ask({ action: "remote-call", body: { remotename: "weather-service", function: "get_forecast", args: {} } })).toMatchObject({ result: "sunny" })
    expect(await process.exited).toEqual({ code: 0, errors: "" })
  })

  it("stays while it waits for what it called, also from before it was connected", async () => {
    const { url, session } = await startHub()
    const server = await session()
    await server.ask({ action: "remote-connect", body: { remotename: "weather-service", tools: [{ name: "f", description: "F.", parameters: { type: "object" } }] } })
    const process = run(url, `console.log(await hub.call("weather-service", "f"))`)
    const { requestId } = await server.nextWhere(({ action }) => action === "remote-call")
    server.send({ action: "remote-call-result", requestId, result: "rain" })
    expect(await process.line()).toBe("rain")
    expect(await process.exited).toEqual({ code: 0, errors: "" })
  })

  it("ends after it closed the client, also where the hub does not answer the closing handshake", async () => {
    const hub = await startScriptedHub()
    const process = run(hub.url, `await hub.remotes(); await hub.close(); console.log(hub.state.status)`)
    const socket = await hub.accept()
    await socket.reply("remote-list", { remotes: [] })
    socket.socket.pause()
    expect(await process.line()).toBe("closed")
    expect(await process.exited).toEqual({ code: 0, errors: "" })
  })

  it("ends after it closed the client", async () => {
    const { url } = await startHub()
    const process = run(url, `await serve(() => "sunny"); await hub.close(); console.log(hub.state.status)`)
    expect(await process.line()).toBe("closed")
    expect(await process.exited).toEqual({ code: 0, errors: "" })
  })
})
