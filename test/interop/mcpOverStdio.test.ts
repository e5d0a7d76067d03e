// The command as an editor starts it: a process of its own, between the official MCP client and a server on loopback.
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import { API_KEY_VARIABLE } from "../../src/cli/mcp.ts"
import { run } from "../../src/cli/run.ts"
import { createDeferred } from "../../src/lib/deferred.ts"
import { API_KEY, connect, createBench } from "./support/createBench.ts"

/** A process that compiles its TypeScript first, on a machine that does much else. */
const LIMIT_MS = 40_000
const MAIN = new URL("../../src/cli/main.ts", import.meta.url).pathname

/** Starts the command; `said` gathers what it writes beside the protocol. */
function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ["--import", import.meta.resolve("tsx"), MAIN, "mcp", ...args],
    env: { PATH: process.env.PATH ?? "", ...env },
    stderr: "pipe",
  })
  const said: string[] = []
  transport.stderr?.on("data", (chunk: Buffer) => said.push(String(chunk)))
  return { transport, said }
}

describe("react-tool-client mcp", { timeout: LIMIT_MS }, () => {
  test("serves a session's tools over standard input and output: lists, changes, calls, cancels, and ends with its client", async () => {
    const { page, url, sessionId } = await createBench()
    const begun = createDeferred<AbortSignal>()
    page.addTool("greet", {
      title: "Greet",
      description: "Greets.",
      schema: z.object({ name: z.string() }),
      output: z.object({ greeting: z.string() }),
      execute: ({ name }) => ({ greeting: `Hello ${name}` }),
    })
    const { transport, said } = start(["--url", url, "--session", sessionId], { [API_KEY_VARIABLE]: API_KEY })
    const told = await connect(transport)
    const { client } = told
    await told.until("client__web__greet")
    expect((await client.listTools()).tools[0]).toMatchObject({ title: "Greet", outputSchema: { type: "object" } })
    expect(await client.callTool({ name: "client__web__greet", arguments: { name: "you" } })).toMatchObject({ structuredContent: { greeting: "Hello you" } })
    expect(await client.callTool({ name: "client__web__greet", arguments: {} })).toMatchObject({ isError: true })

    page.addTool("slow", {
      description: "Slow.",
      parameters: { type: "object" },
      execute: (_args, { signal, progress }) => {
        progress(1, 2, "Half.")
        begun.resolve(signal)
        return new Promise<string>(() => {})
      },
    })
    await told.changed()
    await told.until("client__web__greet", "client__web__slow")
    const controller = new AbortController()
    const half = createDeferred<unknown>()
    const slow = client.callTool({ name: "client__web__slow" }, undefined, { signal: controller.signal, onprogress: half.resolve })
    const signal = await begun.promise
    expect(await half.promise).toEqual({ progress: 1, total: 2, message: "Half." })
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
    controller.abort("enough")
    await expect(slow).rejects.toThrow("enough")
    await aborted

    const { pid } = transport
    await client.close()
    expect(() => process.kill(pid ?? 0, 0)).toThrow()
    expect(said.join("")).toBe("")
  })

  test("takes the API key from a file, and waits for a session that is not there yet", async () => {
    const { url, server } = await createBench()
    const folder = mkdtempSync(join(tmpdir(), "mcp-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, "key"), `${API_KEY}\n`)
    const { transport, said } = start(["--url", url, "--session", "chat-42", "--api-key-file", join(folder, "key")], {})
    const told = await connect(transport)
    await told.until()
    expect(said.join("")).toContain('There is no session "chat-42" yet')
    expect(said.join("")).not.toContain(API_KEY)
    await server.createToken("chat-42")
    await told.until()
  })

  test("says what is wrong, never the key, and exits: 2 for a command that was written wrongly, 1 for a failure", async () => {
    const { url } = await createBench()
    const warned: string[] = []
    const cli = (...args: readonly string[]) => run(["mcp", ...args], { cwd: tmpdir(), print: (text) => warned.push(`printed: ${text}`), warn: (text) => warned.push(text) })
    const last = () => warned.splice(0).join("\n")
    process.env[API_KEY_VARIABLE] = "not-the-key"
    onTestFinished(() => void delete process.env[API_KEY_VARIABLE])

    expect(await cli("--session", "s")).toBe(2)
    expect(last()).toMatch(/--url is needed.*\nUsage: react-tool-client mcp --url U --session S/)
    expect(await cli("--url", "ftp://x", "--session", "s")).toBe(2)
    expect(last()).toContain("--url is needed")
    expect(await cli("--url", url)).toBe(2)
    expect(last()).toContain("--session is needed")
    expect(await cli("--url", url, "--session", "s", "--api-key", "k")).toBe(2)
    expect(last()).toContain("--api-key")
    expect(await cli("--url", url, "--session", "s", "--api-key-file", "none-such")).toBe(1)
    expect(last()).toMatch(/--api-key-file: .*none-such could not be read/)

    expect(await cli("--url", url, "--session", "s")).toBe(1)
    const refused = last()
    expect(refused).toContain("The API key is not")
    expect(refused).not.toContain("not-the-key")
    delete process.env[API_KEY_VARIABLE]
    expect(await cli("--url", url, "--session", "s")).toBe(2)
    expect(last()).toContain(API_KEY_VARIABLE)
  })
})
