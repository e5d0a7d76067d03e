/**
 * The server's own numbers; those that both sides must agree on stand in `src/wire/limits.ts`.
 * They bound what one session can make a process hold; none is part of the protocol, and each can be set.
 */
import { MAX_TOOLS_PER_CLIENT } from "../wire/limits.ts"

/** How much one session, one request and one stream may take. */
export interface SessionServerLimits {
  /** Bytes of a request's body, read no further than this. Answers count too. @default 1_048_576 (1 MiB) */
  readonly maxBodyBytes: number
  /** How deep arrays and objects of a body may nest: writing deeper ones back as JSON would overflow the stack. @default 128 */
  readonly maxJsonDepth: number
  /** Tools of one client. Models choose badly long before this many. @default 128 */
  readonly maxToolsPerClient: number
  /** Characters of one tool's description. @default 8_192 */
  readonly maxDescriptionLength: number
  /** Characters of one tool's `parameters` and of its `output`, each as JSON. @default 65_536 */
  readonly maxSchemaLength: number
  /** Tool clients of one session, those suspended or leaving included. @default 64 */
  readonly maxToolClients: number
  /** Tools of all clients of one session together. @default 1_024 */
  readonly maxTools: number
  /** Characters of JSON that one session's tools and the arguments of its pending calls hold together. @default 8_388_608 */
  readonly maxSessionSize: number
  /** Calls that agents may make in one session in a minute, on all processes together; as many may come at once. @default 600 */
  readonly maxCallsPerMinute: number
  /** Requests that the pages of one session may send to one process in a minute; as many may come at once. @default 6_000 */
  readonly maxRequestsPerMinute: number
  /** Calls of one session that wait for their answer. @default 256 */
  readonly maxPendingCalls: number
  /** Settled calls that a session remembers, for repeats and for joining again. @default 200 */
  readonly maxSettledCalls: number
  /** Characters of text in those settled calls; the oldest are forgotten first. @default 8_388_608 */
  readonly maxSettledText: number
  /** Open streams of one session, on one process. @default 64 */
  readonly maxStreams: number
  /** Bytes that wait in one stream for its reader; above it nothing more is written until the reader has read. @default 262_144 (256 KiB) */
  readonly maxStreamQueueBytes: number
  /** Events that a session's log keeps for streams that resume. @default 512 */
  readonly maxLoggedEvents: number
}

export const DEFAULT_SERVER_LIMITS: SessionServerLimits = {
  maxBodyBytes: 1024 * 1024,
  maxJsonDepth: 128,
  maxToolsPerClient: MAX_TOOLS_PER_CLIENT,
  maxDescriptionLength: 8192,
  maxSchemaLength: 64 * 1024,
  maxToolClients: 64,
  maxTools: 1024,
  maxSessionSize: 8 * 1024 * 1024,
  maxCallsPerMinute: 600,
  maxRequestsPerMinute: 6000,
  maxPendingCalls: 256,
  maxSettledCalls: 200,
  maxSettledText: 8 * 1024 * 1024,
  maxStreams: 64,
  maxStreamQueueBytes: 256 * 1024,
  maxLoggedEvents: 512,
}

/** How long a session token is good for when `tokenTtlSeconds` does not say, in seconds: an hour. */
export const DEFAULT_TOKEN_TTL_SECONDS = 3600

/** Tokens of one session that can be revoked one by one at a time; one more revokes all that the session has. */
export const MAX_REVOKED_TOKENS = 256

/**
 * How long a deleted client's registration may have been held up on its way, in milliseconds: as long as a call may take, far beyond
 * any proxy's patience (60 s).
 */
export const DELETED_MEMORY_MS = 5 * 60_000

/** Deleted page loads that a session remembers at a time; the oldest is forgotten first. */
export const MAX_DELETED_LOADS = 256

/** How long a page that said `leaving` may come back as a reload before its calls are settled, in milliseconds. */
export const LEAVING_GRACE_MS = 10_000

/** How long an agent's request waits for the answer when it does not say, in seconds: below the usual idle limit of proxies (60 s). */
export const DEFAULT_WAIT_SECONDS = 30

/** The last suffix that keeps two client names apart: `_999`, since clients keep four characters free. */
export const MAX_NAME_SUFFIX = 999

/** Seconds in `Retry-After` when a session is full. */
export const RETRY_WHEN_FULL_SECONDS = 5

/** Characters of a client's or tool's name before the model's limit is looked at, and of an id that a page chooses. */
export const MAX_ID_LENGTH = 128

/** Characters of an `Idempotency-Key`. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255

/** How long a server that stops waits for pending calls when nothing else is said, in milliseconds: below the 30 s after which Kubernetes kills. */
export const DRAIN_GRACE_MS = 25_000

/** Answers that are under way when all is settled may be sent to their end for so long, in milliseconds. */
export const LAST_ANSWERS_MS = 2_000
