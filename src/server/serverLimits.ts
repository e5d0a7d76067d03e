/**
 * The server's own numbers; those that both sides must agree on stand in `src/wire/limits.ts`.
 * They bound what one session can make a process hold; none is part of the protocol, and each can be set.
 */

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
  /** Seconds that a session token is good for. @default 3_600 (an hour) */
  readonly tokenTtlSeconds: number
}

export const DEFAULT_SERVER_LIMITS: SessionServerLimits = {
  maxBodyBytes: 1024 * 1024,
  maxJsonDepth: 128,
  maxToolsPerClient: 128,
  maxDescriptionLength: 8192,
  maxSchemaLength: 64 * 1024,
  maxToolClients: 64,
  maxPendingCalls: 256,
  maxSettledCalls: 200,
  maxSettledText: 8 * 1024 * 1024,
  maxStreams: 64,
  maxStreamQueueBytes: 256 * 1024,
  maxLoggedEvents: 512,
  tokenTtlSeconds: 3600,
}

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
