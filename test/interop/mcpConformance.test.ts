// The official MCP conformance suite against a session's endpoint. Its scenarios call tools by names of their own, so the endpoint drops
// `client__web__`; the suite sends no API key, so a proxy on loopback adds it, and passes everything else on as it came.
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer, request as send } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { type AgentToolSource, sessionSource } from "../../src/server/mcp/index.ts"
import type { AgentServer } from "../../src/server/index.ts"
import { PROGRESS_INTERVAL_MS } from "../../src/toolClient/progressSender.ts"
import { API_KEY, createBench } from "./support/createBench.ts"

/** One process for each scenario, on a machine that does much else. */
const LIMIT_MS = 60_000
const SUITE = new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url).pathname
const SHIM = new URL("support/fsWithGlob.mjs", import.meta.url).href
const PREFIX = "client__web__"

const SCENARIOS = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-error",
  "tools-call-with-progress",
  "json-schema-2020-12",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
] as const

/**
 * What the others ask for that a server of tools does not have, and does not claim in its capabilities: resources, prompts, completion,
 * logging (`logging-set-level`, `tools-call-with-logging`), sampling and elicitation of the client. A page's answer is a text, so no
 * images, audio or embedded resources (`tools-call-image`, `-audio`, `-embedded-resource`, `-mixed-content`). `server-sse-polling` has the
 * server cut its own stream and be resumed, which is optional (SEP-1699).
 */
const NOT_APPLICABLE = /^(logging|completion|resources|prompts|elicitation)-|^tools-call-(image|audio|embedded-resource|mixed-content|with-logging|sampling|elicitation)$|^server-sse-polling$/

const DIALECT = "https://json-schema.org/draft/2020-12/schema"

/** A page publishes its schemas without their `$schema`, as 2020-12 is what MCP reads without one; here it is put back, to see it passed on. */
const withoutPrefix = (server: AgentServer, sessionId: string): AgentToolSource => {
  const source = sessionSource(server, sessionId)
  const shorten = (tools: Awaited<ReturnType<AgentToolSource["tools"]>>) => tools.map(({ name, parameters, ...tool }) => ({ ...tool, name: name.slice(PREFIX.length), parameters: { $schema: DIALECT, ...parameters } }))
  return {
    tools: async () => shorten(await source.tools()),
    callTool: (name, args, options) => source.callTool(PREFIX + name, args, options),
    watchTools: (listener) => source.watchTools((tools) => listener(shorten(tools))),
  }
}

/** Adds the API key to what goes to `target`. */
async function startProxy(target: URL): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const onward = send(target, { method: incoming.method, headers: { ...incoming.headers, authorization: `Bearer ${API_KEY}` } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on("error", () => outgoing.destroy())
    outgoing.on("close", () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`
}

const run = (cwd: string, ...args: readonly string[]): Promise<{ output: string; isGood: boolean }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ["--import", SHIM, SUITE, ...args], { cwd }, (error, stdout, stderr) => resolve({ output: stdout + stderr, isGood: !error }))
  })

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function startServer(): Promise<string> {
  const { page, mcpUrl } = await createBench({ source: withoutPrefix })
  const parameters = { type: "object" } as const
  page.addTool("test_simple_text", { description: "Text.", parameters, execute: () => "This is a simple text response for testing." })
  page.addTool("test_error_handling", {
    description: "Fails.",
    parameters,
    execute: () => ({ text: "This tool intentionally returns an error for testing", is_error: true }),
  })
  page.addTool("test_tool_with_progress", {
    description: "Takes a while.",
    parameters,
    // At the pace at which a page reports: faster ones are left out, as the newest is what counts.
    async execute(_args, { progress }) {
      for (const done of [0, 50, 100]) {
        progress(done, 100)
        await new Promise((resolve) => setTimeout(resolve, 2 * PROGRESS_INTERVAL_MS))
      }
      return "Done."
    },
  })
  page.addTool("json_schema_2020_12_tool", {
    description: "Tool with JSON Schema 2020-12 features",
    parameters: {
      $schema: DIALECT,
      type: "object",
      $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
      properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
      additionalProperties: false,
    },
    execute: () => "ok",
  })
  return startProxy(mcpUrl)
}

test("Each scenario of the conformance suite that is for servers is run, or does not apply.", { timeout: LIMIT_MS }, async () => {
  const { output } = await run(createFolder(), "list")
  const known = [...(output.split("Client scenarios")[0] ?? "").matchAll(/^ +- (\S+)/gm)].map(([, name = ""]) => name)
  expect(known).toEqual(expect.arrayContaining([...SCENARIOS]))
  expect(known.filter((name) => !NOT_APPLICABLE.test(name)).sort()).toEqual([...SCENARIOS].sort())
})

test.each(SCENARIOS)("The endpoint conforms: %s.", { timeout: LIMIT_MS }, async (scenario) => {
  const folder = createFolder()
  const { output, isGood } = await run(folder, "server", "--url", await startServer(), "--scenario", scenario, "--output-dir", folder)
  const [results = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("checks.json"))
  const checks = JSON.parse(readFileSync(join(folder, results), "utf8")) as { readonly id: string; readonly status: string; readonly errorMessage?: string }[]
  expect(checks.filter(({ status }) => status === "FAILURE" || status === "WARNING"), output).toEqual([])
  expect(checks.filter(({ status }) => status === "SUCCESS").length, output).toBeGreaterThan(0)
  expect(isGood, output).toBe(true)
})
