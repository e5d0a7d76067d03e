import type { SessionEvent } from "./messages.ts"
import { SessionError } from "./sessionError.ts"
import type { RawEvent } from "./transport.ts"

type Check = (value: unknown) => boolean
const isString: Check = (value) => typeof value === "string"
const isBoolean: Check = (value) => typeof value === "boolean"
const isNumber: Check = (value) => Number.isFinite(value)

/** What each event must hold for the client to act on it; more may come and is ignored. */
const FIELDS: { readonly [Type in SessionEvent["type"]]: Readonly<Record<string, Check>> } = {
  "tool_call.dispatched": { call_id: isString, client_id: isString, tool: isString, deadline_ms: isNumber },
  "tool_call.cancelled": { call_id: isString },
  "tool_call.settled": { call_id: isString },
  "tool_client.registered": { client_id: isString },
  "tool_client.updated": { client_id: isString },
  "tool_client.deleted": { client_id: isString },
  "tool_client.expired": { client_id: isString },
  "session.running": { running: isBoolean },
  keep_alive: {},
  resync: {},
}

/**
 * Reads one event of the stream. A type that this version does not know is `undefined`, so that a newer server may say more.
 * @throws SessionError `bad_event`, naming the event and what is wrong with it.
 */
export function parseEvent(raw: RawEvent): SessionEvent | undefined {
  if (!Object.hasOwn(FIELDS, raw.type)) return undefined
  const type = raw.type as SessionEvent["type"]
  let data: unknown
  try {
    data = JSON.parse(raw.data || "{}")
  } catch (cause) {
    throw new SessionError("bad_event", `The event "${type}" was skipped: its data is not JSON.`, { cause })
  }
  if (typeof data !== "object" || data === null) {
    throw new SessionError("bad_event", `The event "${type}" was skipped: its data is not an object.`)
  }
  for (const [field, check] of Object.entries(FIELDS[type])) {
    if (!check((data as Record<string, unknown>)[field])) {
      throw new SessionError("bad_event", `The event "${type}" was skipped: its "${field}" is missing or of the wrong type.`)
    }
  }
  return { type, data } as SessionEvent
}
