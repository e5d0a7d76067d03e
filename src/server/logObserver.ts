import type { ServerEvent, ServerEventName, ServerObserver } from "./serverEvents.ts"

export type LogLevel = "debug" | "info" | "warn" | "error"

export interface LogObserverOptions {
  /** Takes one line of JSON, without its line break. @default the process's standard output, through `console.log` */
  readonly write?: (line: string) => void
  /** The least that is written. @default "info" */
  readonly level?: LogLevel
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

/** What JSON leaves as it is and a terminal obeys or a viewer breaks the line at: DEL, C1 and the two separators of Unicode. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029]/g

/** One line, whatever is in it: a name that a page has chosen cannot write a line of its own, nor move a terminal's cursor. */
export const logLine = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(fields).replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

// What collects a process's logs reads its standard output.
// eslint-disable-next-line no-console
const toStandardOutput = (line: string): void => console.log(line)

/**
 * Writes events as lines of JSON: `time`, `level`, `event`, and the event's own fields. There are no arguments, answers or tokens in it.
 *
 * @example
 * createSessionServer({ observers: [createLogObserver({ level: "warn" })] })
 */
export function createLogObserver({ write = toStandardOutput, level = "info" }: LogObserverOptions = {}): ServerObserver {
  return (event) => {
    const own = levelOf(event)
    if (RANK[own] < RANK[level]) return
    const { type, at, ...fields } = event
    write(logLine({ time: new Date(at).toISOString(), level: own, event: type, ...fields }))
  }
}
