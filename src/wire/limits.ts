/** The protocol's numbers that both sides must agree on; each with its unit and its source. */

export { MODEL_NAME_MAX_LENGTH, NAME_SUFFIX_RESERVE, modelToolName } from "../tool/names.ts"

/** A call that nobody answered in this time is settled with an error (docs/PROTOCOL.md, "Requests of an agent"). */
export const RESULT_DEADLINE_MS = 5 * 60_000

/** The server sends a real `keep_alive` event at least this often (docs/PROTOCOL.md, "The event stream"). */
export const KEEP_ALIVE_MS = 15_000

/** A stream with no byte for this long is dead: 2.5 keep-alives (docs/PROTOCOL.md, "The event stream"). */
export const STREAM_SILENCE_MS = 2.5 * KEEP_ALIVE_MS

/** A dispatch that was not acked in this time is sent again (docs/PROTOCOL.md, "The event stream"). */
export const ACK_TIMEOUT_MS = 10_000

/** Tools of one client that a server takes where it says nothing else: models choose badly long before this many (docs/PROTOCOL.md, "Registering"). */
export const MAX_TOOLS_PER_CLIENT = 128

/** Calls that one request may ack, or report on (docs/PROTOCOL.md, "Acks and answers"). */
export const MAX_ACKS_PER_REQUEST = 1_000

/** Characters of what a page says is being done (docs/PROTOCOL.md, "Progress"). */
export const PROGRESS_MESSAGE_MAX_LENGTH = 1_000

/** The default lifetime: 60 s, pinged at half of it (docs/PROTOCOL.md, "Staying alive"). */
export const DEFAULT_TTL_SECONDS = 60

/** The longest ttl that is accepted, one day: more is a `never` in disguise (docs/PROTOCOL.md, "Registering"). */
export const MAX_TTL_SECONDS = 86_400
