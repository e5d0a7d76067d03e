import type { SessionEvent } from "./messages.ts"
import { SessionError } from "./sessionError.ts"
import type { RawEvent } from "./transport.ts"

/** What the events that a client acts on must hold, by `typeof`. More may come and is ignored. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "tool_call.dispatched": { call_id: "string", client_id: "string", tool: "string", deadline_ms: "number" },
  "tool_call.cancelled": { call_id: "string" },
  "tool_call.settled": { call_id: "string" },
  "tool_client.deleted": { client_id: "string" },
  "session.running": { running: "boolean" },
}

/**
 * Reads one event of the stream. One that a client does not act on is `undefined`: it is a sign of life, and a newer server may say more.
 * @throws SessionError `bad_event`, naming the event and what is wrong with it.
 */
export function parseEvent({ type, data: text }: RawEvent): SessionEvent | undefined {
  if (!Object.hasOwn(FIELDS, type)) return undefined
  const fail = (problem: string, cause?: unknown): never => {
    throw new SessionError("bad_event", `The event "${type}" was skipped: ${problem}.`, { cause })
  }
  let data: Record<string, unknown> | null = null
  try {
    data = JSON.parse(text) as typeof data
  } catch (cause) {
    fail("its data is not JSON", cause)
  }
  for (const [field, kind] of Object.entries(FIELDS[type] ?? {})) {
    if (typeof data?.[field] !== kind) fail(`its "${field}" is no ${kind}`)
  }
  return { type, data } as unknown as SessionEvent
}
