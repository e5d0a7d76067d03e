// The command as an operator runs it: a process of its own, told to stop by signals.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { run } from "../../src/cli/run.ts"
import { connectSessionServer } from "../../src/server/index.ts"
import { type Program, startProgram } from "../examples/support/startProgram.ts"
import { createPage } from "./support/createPage.ts"
import { hostStatus } from "./support/hostStatus.ts"

/** A process that compiles its TypeScript first, on a machine that does much else. */
const LIMIT_MS = 40_000
const API_KEY = "key-of-the-agent"
const SECRET = "a secret of thirty-two bytes, at least"
const MAIN = new URL("../../src/cli/main.ts", import.meta.url).pathname

function createFiles(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "serve-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const start = (folder: string, ...args: string[]): Program =>
  startProgram("--import", { args: [import.meta.resolve("tsx"), MAIN, "serve", ...args], cwd: folder, env: { NODE_ENV: "production" } })

/** For what ends before it serves. */
function inProcess(files: Readonly<Record<string, string>>) {
  const cwd = createFiles(files)
  const warned: string[] = []
  const cli = (...args: readonly string[]) => run(["serve", ...args], { cwd, print: () => {}, warn: (text) => warned.push(text) })
  return { cli, warned }
}

const linesOf = (output: string) => output.trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>)

async function startServer(...more: string[]) {
  const folder = createFiles({ "api-key": `${API_KEY}\nolder\n`, "secret": SECRET })
  const args = ["--port", "0", "--api-key-file", "api-key", "--secret-file", "secret", ...more]
  const program = start(folder, ...args)
  const [, url = ""] = await program.printed(/"url":"([^"]+)"/)
  const agent = connectSessionServer({ url, apiKey: API_KEY })
  const statusOf = async (path: string, headers: Record<string, string> = {}) => (await fetch(url + path, { headers })).status
  return { program, url, agent, statusOf, folder, args }
}

async function openPage(url: string, agent: ReturnType<typeof connectSessionServer>) {
  const { id: sessionId, token } = await agent.createSession()
  const page = createPage({ fetch, baseUrl: url, sessionId, token })
  const events = await page.stream()
  const { body } = await page.register()
  return { sessionId, token, page, events, clientId: body.id }
}

describe("react-tool-client serve", { timeout: LIMIT_MS }, () => {
  test("serves pages and agents; told to stop, it lets the page answer the call that is under way, and exits with code 0", async () => {
    const { program, url, agent, statusOf } = await startServer()
    const { sessionId, token, page, events, clientId } = await openPage(url, agent)
    const outcome = agent.callTool(sessionId, "client__web__add", { secret: "the argument" })
    const call = await events.nextOf("tool_call.dispatched")
    await page.ack(clientId, call.call_id)
    expect([await statusOf("/healthz"), await statusOf("/readyz")]).toEqual([200, 200])
    for (const path of ["/healthz", "/readyz"]) expect((await fetch(url + path, { method: "HEAD" })).status).toBe(200)

    program.signal("SIGTERM")
    await program.printed(/server\.draining/)
    expect([await statusOf("/healthz"), await statusOf("/readyz")]).toEqual([200, 503])
    const second = await page.send("GET", "/events")
    expect([second.status, second.headers.get("retry-after")]).toEqual([503, "1"])
    expect((await page.answer(clientId, call.call_id, { text: "the answer" })).status).toBe(204)
    expect(await outcome).toMatchObject({ text: "the answer", is_error: false })
    // Told to go elsewhere, not cut.
    expect(await events.ended).toBeUndefined()
    const { code, output } = await program.ended
    expect(code).toBe(0)
    const lines = linesOf(output)
    expect(lines.map(({ event }) => event)).toEqual(expect.arrayContaining(["server.listening", "client.registered", "call.settled", "server.draining", "server.closed"]))
    for (const secret of ["the argument", "the answer", token, API_KEY, SECRET]) expect(output).not.toContain(secret)
  })

  test("gives its numbers to the holder of an API key, and to nobody else", async () => {
    const { url, agent, statusOf } = await startServer()
    await openPage(url, agent)
    expect([await statusOf("/metrics"), await statusOf("/metrics", { authorization: "Bearer wrong" })]).toEqual([401, 401])
    for (const key of [API_KEY, "older"]) {
      const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
      expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
      expect(await response.text()).toContain("react_tool_client_streams 1\n")
    }
  })

  test("does not wait longer than its grace, and a second process with the same secret knows the sessions", async () => {
    const { program, url, agent, folder, args } = await startServer("--grace", "0")
    const { sessionId, token, events } = await openPage(url, agent)
    // Nobody answers it any more.
    agent.callTool(sessionId, "client__web__add").catch(() => {})
    await events.nextOf("tool_call.dispatched")
    program.signal("SIGINT")
    expect((await program.ended).code).toBe(0)
    const next = start(folder, ...args)
    const [, again = ""] = await next.printed(/"url":"([^"]+)"/)
    const page = createPage({ fetch, baseUrl: again, sessionId, token })
    expect((await page.register()).status).toBe(201)
    agent.close()
  })

  test("listens on loopback for loopback's own names and those it is given, and tells pages of which origins it takes", async () => {
    const { url, statusOf } = await startServer("--allowed-host", "agents.example.com", "--allowed-origin", "https://app.example")
    expect(await statusOf("/v1/sessions/x/tools", { authorization: `Bearer ${API_KEY}`, origin: "https://app.example" })).toBe(404)
    expect(await statusOf("/v1/sessions/x/tools", { authorization: `Bearer ${API_KEY}`, origin: "https://evil.example" })).toBe(403)
    expect(await hostStatus(`${url}/v1/sessions/x/tools`, "agents.example.com", { authorization: `Bearer ${API_KEY}` })).toBe(404)
    expect(await hostStatus(`${url}/v1/sessions/x/tools`, "evil.example", { authorization: `Bearer ${API_KEY}` })).toBe(403)
    expect(await hostStatus(`${url}/healthz`, "10.0.0.7")).toBe(200)
  })

  test.each([
    ["no key", [], 2, "--api-key-file"],
    ["a key file that is not there", ["--api-key-file", "nowhere"], 1, "could not be read"],
    ["an empty key file", ["--api-key-file", "empty"], 1, "is empty"],
    ["a port that is none", ["--api-key-file", "api-key", "--port", "http"], 2, "--port"],
    ["an option that there is not", ["--api-key-file", "api-key", "--colour"], 2, "--colour"],
    ["a log level that there is not", ["--api-key-file", "api-key", "--log-level", "loud"], 2, "--log-level"],
    ["Redis without a secret", ["--api-key-file", "api-key", "--redis", "redis://127.0.0.1:1"], 2, "--secret-file"],
    ["an origin that is none", ["--api-key-file", "api-key", "--allowed-origin", "app.example"], 2, '--allowed-origin: "app.example" is not an origin'],
    ["an origin with a path", ["--api-key-file", "api-key", "--allowed-origin", "https://app.example/x"], 2, "--allowed-origin"],
    ["a URL of Redis that is none", ["--api-key-file", "api-key", "--secret-file", "secret", "--redis", "http://u:pass@h"], 2, "--redis: give url"],
    ["a port beyond all", ["--api-key-file", "api-key", "--port", "65536"], 2, "--port"],
    ["a folder for a key file", ["--api-key-file", "."], 1, "could not be read"],
    ["an empty secret file", ["--api-key-file", "api-key", "--secret-file", "empty"], 1, "is empty"],
    ["an address that this machine has not", ["--api-key-file", "api-key", "--port", "0", "--host", "192.0.2.1"], 1, "--host is one of its own"],
  ] as const)("says what is wrong with %s", async (_what, args, code, message) => {
    const { cli, warned } = inProcess({ "api-key": API_KEY, "secret": SECRET, "empty": "\n" })
    expect(await cli(...args)).toBe(code)
    expect(warned.join("\n")).toContain(message)
    expect(warned.join("\n")).not.toContain("u:pass")
  })

  test("stops as gently when its terminal is closed, and at once when it is told twice", async () => {
    const { program, url, agent } = await startServer("--grace", "60")
    const { sessionId, events } = await openPage(url, agent)
    agent.callTool(sessionId, "client__web__add").catch(() => {})
    await events.nextOf("tool_call.dispatched")
    program.signal("SIGHUP")
    await program.printed(/server\.draining/)
    expect(program.hasEnded).toBe(false)
    program.signal("SIGTERM")
    expect(await program.ended).toMatchObject({ code: null, signal: "SIGTERM" })
    agent.close()
  })

  test("starts where Redis cannot be reached, says so, is not ready, and stops with code 0", async () => {
    const { program, url } = await startServer("--redis", "redis://127.0.0.1:1")
    await program.printed(/no connection to Redis/)
    const ready = await fetch(`${url}/readyz`)
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining("no connection to Redis")])
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    program.signal("SIGTERM")
    expect((await program.ended).code).toBe(0)
  })

  test("goes on when nobody reads its log any more", async () => {
    const folder = createFiles({ "api-key": API_KEY, "secret": SECRET })
    const args = ["--import", import.meta.resolve("tsx"), MAIN, "serve", "--port", "0", "--api-key-file", "api-key", "--secret-file", "secret"]
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    const exited = once(child, "exit")
    let output = ""
    for await (const part of child.stdout) if (/"url":"([^"]+)"/.test((output += String(part)))) break
    // Leaving the loop has closed the pipe: each line that is written from here on fails.
    const url = /"url":"([^"]+)"/.exec(output)?.[1] ?? ""
    for (let round = 0; round < 3; round++) expect((await fetch(`${url}/v1/sessions`, { method: "POST" })).status).toBe(401)
    child.kill("SIGTERM")
    expect(await exited).toEqual([0, null])
  })

  test.each(["--help", "-h"])("tells how it is used with %s, and does nothing else", async (flag) => {
    const printed: string[] = []
    expect(await run(["serve", "--port", "0", flag], { cwd: "/", print: (text) => printed.push(text), warn: (text) => printed.push(`warned: ${text}`) })).toBe(0)
    expect(printed.join("\n")).toMatch(/^Usage: react-tool-client serve --api-key-file/)
  })

  test("says that its port is taken", async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const { cli, warned } = inProcess({ "api-key": API_KEY })
    expect(await cli("--api-key-file", "api-key", "--port", String(port))).toBe(1)
    expect(warned.join("\n")).toContain(`cannot listen at 127.0.0.1:${port}: another program listens there`)
  })
})
