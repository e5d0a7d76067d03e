import { aFunction, checkOptions } from "../lib/checkOptions.ts"
import { printable } from "./printable.ts"
import type { ServerEvent, ServerEventName, ServerObserver } from "./serverEvents.ts"

export type LogLevel = "debug" | "info" | "warn" | "error"

export interface LogObserverOptions {
  /** Takes one line of JSON, without its line break. @default the process's standard output, through `console.log` */
  readonly write?: ((line: string) => void) | undefined
  /** The least that is written. @default "info" */
  readonly level?: LogLevel | undefined
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** What happens with each call, request and retry is `debug`: it is there many times a second. */
const LEVELS: Readonly<Record<ServerEventName, LogLevel>> = {
  "call.requested": "debug",
  "call.dispatched": "debug",
  "call.acked": "debug",
  "call.settled": "info",
  "client.registered": "info",
  "client.deleted": "info",
  "client.expired": "info",
  "stream.opened": "info",
  "stream.closed": "info",
  "session.revoked": "warn",
  "token.revoked": "warn",
  "request.answered": "debug",
  "server.draining": "warn",
  "server.closed": "warn",
}

/** A refusal is worth a line, the server's own fault a loud one. */
function levelOf(event: ServerEvent): LogLevel {
  if (event.type !== "request.answered") return LEVELS[event.type]
  if (event.status >= 500) return event.code === "server_closed" ? "warn" : "error"
  return event.status >= 400 ? "info" : LEVELS[event.type]
}

// What collects a process's logs reads its standard output.
// eslint-disable-next-line no-console
const toStandardOutput = (line: string): void => console.log(line)

/**
 * Writes events as lines of JSON: `time`, `level`, `event`, and the event's own fields. There are no arguments, answers or tokens in it.
 *
 * @throws TypeError for an option that is wrong
 * @example
 * createSessionServer({ observers: [createLogObserver({ level: "warn" })] })
 */
export function createLogObserver(options: LogObserverOptions = {}): ServerObserver {
  checkOptions<LogObserverOptions>("createLogObserver", options, {
    write: aFunction,
    level: { what: `one of ${Object.keys(RANK).join(", ")}`, admits: (value) => typeof value === "string" && Object.hasOwn(RANK, value) },
  })
  const { write = toStandardOutput, level = "info" } = options
  return (event) => {
    const own = levelOf(event)
    if (RANK[own] < RANK[level]) return
    const { type, at, ...fields } = event
    write(printable({ time: new Date(at).toISOString(), level: own, event: type, ...fields }))
  }
}
