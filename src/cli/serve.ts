import { parseArgs } from "node:util"
import { optionalPackage } from "../action/optionalPackage.ts"
import type { AgentEndpoint } from "../server/agentEndpoint.ts"
import { createCors } from "../server/cors.ts"
import { loopbackHosts } from "../server/hosts.ts"
import { createLogObserver, type LogLevel } from "../server/logObserver.ts"
import { createMetrics } from "../server/metrics.ts"
import { printable } from "../server/printable.ts"
import { serve as listen } from "../server/serve.ts"
import type { ServerObserver } from "../server/serverEvents.ts"
import { DRAIN_GRACE_MS, LAST_ANSWERS_MS } from "../server/serverLimits.ts"
import { createSessionServer } from "../server/createSessionServer.ts"
import type { ServerLogger } from "../server/sessionServerOptions.ts"
import type { SessionStorage } from "../server/sessionStore.ts"
import { createTraceObserver } from "../server/traceObserver.ts"
import { reasonOf } from "../tool/reason.ts"
import { type Command, type Terminal, UsageError } from "./command.ts"
import { linesOf } from "./linesOf.ts"
import { createOperatorRoutes } from "./operatorRoutes.ts"

const options = {
  "port": { type: "string" },
  "host": { type: "string" },
  "api-key-file": { type: "string" },
  "secret-file": { type: "string" },
  "redis": { type: "string" },
  "allowed-origin": { type: "string", multiple: true },
  "allowed-host": { type: "string", multiple: true },
  "log-level": { type: "string" },
  "grace": { type: "string" },
  "mcp": { type: "boolean" },
} as const

const DEFAULT_PORT = 8787
const LOG_LEVELS: readonly string[] = ["debug", "info", "warn", "error"] satisfies LogLevel[]

function readOptions(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (cause) {
    throw new UsageError(reasonOf(cause))
  }
}

function numberOf(name: string, value: string | undefined, otherwise: number, max: number): number {
  if (value === undefined) return otherwise
  if (/^\d+$/.test(value) && Number(value) <= max) return Number(value)
  throw new UsageError(`--${name} must be a number from 0 to ${max}, not "${value}"`)
}

/** Runs what refuses a flag's value with a TypeError that speaks of an option of the library. */
function readFlag<Value>(name: string, read: () => Value): Value {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof TypeError) throw new UsageError(`--${name}: ${cause.message.replace(/^\w+: /, "")}`)
    throw cause
  }
}

/** Why a port cannot be listened at, by what the system says of it. */
const LISTEN_FAILURES: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there. Stop it, or give another --port; 0 takes any that is free",
  EACCES: "this user may not. Ports below 1024 are the system's; give another --port",
  EADDRNOTAVAIL: "this machine has no such address. --host is one of its own, or 0.0.0.0 for all",
  ENOTFOUND: "there is no such host. --host is an address of this machine, or 0.0.0.0 for all",
}

function listenFailure(error: unknown, host: string, port: number): Error {
  const code = (error as NodeJS.ErrnoException).code ?? ""
  return new Error(`The server cannot listen at ${host}:${port}: ${LISTEN_FAILURES[code] ?? reasonOf(error)} (${code}).`, { cause: error })
}

const openRedis = async (url: string): Promise<SessionStorage> => {
  const { redisStore } = await optionalPackage("ioredis", () => import("../server/redis/index.ts"))
  return readFlag("redis", () => redisStore({ url }))
}

const mcpEndpoints = async (): Promise<Readonly<Record<string, AgentEndpoint>>> => {
  const { mcpEndpoint } = await optionalPackage("@modelcontextprotocol/sdk", () => import("../server/mcp/mcpEndpoint.ts"))
  return { mcp: mcpEndpoint() }
}

/** Spans, where OpenTelemetry is installed; what collects them is the operator's to set up (`node --import`). */
const traceObservers = (): Promise<ServerObserver[]> =>
  import("@opentelemetry/api").then(
    (api) => [createTraceObserver(api)],
    () => [],
  )

function createLogger(terminal: Terminal): ServerLogger {
  const write = (level: LogLevel, fields: Readonly<Record<string, unknown>>): void =>
    terminal.print(printable({ time: new Date().toISOString(), level, event: "message", ...fields }))
  return {
    warn: (message) => write("warn", { message }),
    error: (message, error) => write("error", { message, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  }
}

/**
 * Resolves at the first of the signals by which a process is asked to end, of which SIGHUP says that its terminal was closed. A second one ends
 * it as it would have without us.
 */
const askedToStop = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const
    const stop = (signal: NodeJS.Signals): void => {
      for (const name of signals) process.off(name, stop)
      resolve(signal)
    }
    for (const name of signals) process.on(name, stop)
  })

/** A session server, ready to run: what it does is told as lines of JSON on standard output. */
export const serve: Command = {
  usage:
    "--api-key-file F [--secret-file F] [--port 8787] [--host 127.0.0.1] [--redis URL] [--allowed-origin O]... [--allowed-host H]... " +
    "[--log-level info] [--grace 25] [--mcp]",
  summary: "runs a session server, with /healthz, /readyz and /metrics (API key); SIGTERM stops it when its calls are settled, after --grace seconds at the latest",
  async run(args, terminal) {
    const given = readOptions(args)
    const port = numberOf("port", given.port, DEFAULT_PORT, 65_535)
    const graceMs = numberOf("grace", given.grace, DRAIN_GRACE_MS / 1000, 86_400) * 1000
    const { host = "127.0.0.1", redis, "log-level": level = "info" } = given
    if (!LOG_LEVELS.includes(level)) throw new UsageError(`--log-level must be one of ${LOG_LEVELS.join(", ")}, not "${level}"`)
    if (given["api-key-file"] === undefined) throw new UsageError("--api-key-file is needed: agents and your back end send the key in it")
    if (redis !== undefined && given["secret-file"] === undefined) {
      throw new UsageError("--redis needs --secret-file: processes that share sessions must know each other's tokens")
    }
    const apiKeys = await linesOf("api-key-file", given["api-key-file"], terminal.cwd)
    const secrets = await linesOf("secret-file", given["secret-file"], terminal.cwd)

    const allowedOrigins = given["allowed-origin"] ?? []
    readFlag("allowed-origin", () => createCors(allowedOrigins))
    const names = given["allowed-host"] ?? []
    const allowedHosts = [...(loopbackHosts(host) ?? []), ...names]
    const metrics = createMetrics()
    const server = createSessionServer({
      apiKey: apiKeys,
      ...(secrets.length > 0 && { secret: secrets }),
      ...(redis !== undefined && { store: await openRedis(redis) }),
      ...(given.mcp && { endpoints: await mcpEndpoints() }),
      allowedOrigins,
      allowedHosts: allowedHosts.length > 0 ? allowedHosts : "*",
      logger: createLogger(terminal),
      observers: [createLogObserver({ write: (line) => terminal.print(line), level: level as LogLevel }), metrics.observer, ...(await traceObservers())],
    })
    // The session server itself looks at the names: probes come by whatever address they find.
    const served = await listen(createOperatorRoutes({ server, metrics, apiKeys }), { port, hostname: host, allowedHosts: "*" }).catch(async (error: unknown) => {
      await server.close()
      throw listenFailure(error, host, port)
    })
    terminal.print(printable({ time: new Date().toISOString(), level: "info", event: "server.listening", url: served.url }))
    await askedToStop()
    await server.drain({ graceMs })
    await served.close({ graceMs: LAST_ANSWERS_MS })
    return 0
  },
}
