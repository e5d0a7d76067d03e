// What a Node process with a tool client does when it has nothing else to do (C3), and what the client brings along (C27).
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, type Metafile } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createSessionServer, serve, type ServedSession, type SessionServer } from "react-tool-client/server"

const ROOT = join(import.meta.dirname, "../../..")
let folder: string
let client: string
let metafile: Metafile
let server: SessionServer
let served: ServedSession

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tool-client-"))
  client = join(folder, "client.mjs")
  ;({ metafile } = await build({
    entryPoints: [join(ROOT, "src/client.ts")],
    outfile: client,
    bundle: true,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node20",
    alias: { "#stream": join(ROOT, "src/wire/streamNode.ts") },
    logLevel: "silent",
  }))
  server = createSessionServer({ secret: "a secret of thirty-two bytes, at least" })
  served = await serve(server)
}, 60_000)

afterAll(async () => {
  await server.close()
  await served.close()
  await rm(folder, { recursive: true, force: true })
})

interface Run {
  readonly sessionId: string
  /** Resolves with the next line that the process prints. */
  line(): Promise<string>
  readonly exited: Promise<{ readonly code: number | null; readonly errors: string }>
}

/** Runs a module in a process of its own: it has `open()`, which opens the session, and what it prints is read line by line. */
async function run(body: string): Promise<Run> {
  const { id, token } = await server.createSession()
  const source = `
    import { createSessionClient } from ${JSON.stringify(`file://${client}`)}
    const client = createSessionClient({ baseUrl: ${JSON.stringify(served.url)}, getToken: () => ${JSON.stringify(token)} })
    const open = (options) => client.open(${JSON.stringify(id)}, options)
    const tool = (execute) => ({ description: "Does it.", parameters: { type: "object" }, execute })
    ${body}
  `
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], { stdio: ["ignore", "pipe", "pipe"] })
  const lines: string[] = []
  const waiting: ((line: string) => void)[] = []
  let rest = ""
  let errors = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n")
    rest = parts.pop() ?? ""
    for (const line of parts) {
      const wake = waiting.shift()
      if (wake) wake(line)
      else lines.push(line)
    }
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
  return {
    sessionId: id,
    line: () => new Promise((resolve) => {
      const line = lines.shift()
      if (line !== undefined) resolve(line)
      else waiting.push(resolve)
    }),
    exited: new Promise((resolve) => child.on("close", (code) => resolve({ code, errors }))),
  }
}

describe("a process that has nothing else to do", () => {
  it.each(["undefined", '{ type: "never" }'])("exits although its client still serves, with the lifetime %s", async (lifetime) => {
    const { line, exited, sessionId } = await run(`
      const web = open().createToolClient("web", { lifetime: ${lifetime} })
      web.addTool("add", tool(() => "done"))
      await web.ready
      console.log(web.state.status)
    `)
    expect(await line()).toBe("serving")
    expect(await exited).toEqual({ code: 0, errors: "" })
    // It did not say goodbye: the server still offers the tool.
    expect((await server.tools(sessionId)).length).toBe(1)
  }, 30_000)

  it("is not done while it awaits `ready`", async () => {
    const { line, exited } = await run(`
      const web = open().createToolClient("web")
      await web.ready
      console.log("ready")
    `)
    expect(await line()).toBe("ready")
    expect((await exited).code).toBe(0)
  }, 30_000)

  it("is not done before its call is answered", async () => {
    const { line, exited, sessionId } = await run(`
      const web = open().createToolClient("web")
      let held
      web.addTool("slow", tool(() => {
        clearInterval(held)
        return new Promise((resolve) => setTimeout(() => resolve("done"), 200).unref())
      }))
      await web.ready
      held = setInterval(() => {}, 1_000)
      console.log("ready")
    `)
    await line()
    expect(await server.callTool(sessionId, "client__web__slow")).toMatchObject({ text: "done", is_error: false })
    expect((await exited).code).toBe(0)
  }, 30_000)

  it("exits by itself after it has closed its session", async () => {
    const { exited, sessionId } = await run(`
      const session = open()
      await session.createToolClient("web").ready
      await session.close()
    `)
    expect(await exited).toEqual({ code: 0, errors: "" })
    expect(await server.tools(sessionId)).toEqual([])
  }, 30_000)

  it("exits after a registration that was refused, with an error it can see", async () => {
    const { line, exited } = await run(`
      const web = open().createToolClient("web")
      web.addTool("wordy", { ...tool(() => "done"), description: "x".repeat(2_000_000) })
      await web.ready.catch((error) => console.log(error.name, error.status))
    `)
    expect(await line()).toBe("SessionError 413")
    expect((await exited).code).toBe(0)
  }, 30_000)
})

describe("what the client brings along", () => {
  it("is no schema library, no React and no server, only the parser of event streams", () => {
    const packages = new Set(Object.keys(metafile.inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))
    expect([...packages]).toEqual(["eventsource-parser"])
    expect(Object.keys(metafile.inputs).filter((path) => /src\/(server|react|hub|testing)\//.test(path))).toEqual([])
  })
})
