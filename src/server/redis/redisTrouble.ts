/** What keeps Redis from doing what the store asks, in words that an operator can act on. They name no address: `/readyz` shows them to whoever asks. */

/** Not as the store needs it, whatever is asked. */
export class UnsuitableRedis extends Error {
  override readonly name = "UnsuitableRedis"
}

const CLUSTER =
  "Redis runs as a cluster, which the session store does not support. Use a primary without cluster mode, with replicas and Sentinel if it must fail over, or a Redis for each group of server processes."

/** By the first word of what Redis says. */
const OF_REPLIES: Readonly<Record<string, string>> = {
  OOM: "Redis is full and refuses writes: it has reached its maxmemory. Raise maxmemory, or free memory; sessions that end free theirs.",
  READONLY: "Redis is a replica and takes no writes. Connect to the primary (through Sentinel, it is followed in a failover).",
  MISCONF: "Redis refuses writes because it could not save its data to disk. Its log says why; often the disk is full.",
  NOREPLICAS: "Redis refuses writes because fewer replicas follow it than its min-replicas-to-write asks for.",
  LOADING: "Redis is loading its data, and answers when it has.",
  BUSY: "Redis is busy with a script that does not end. SCRIPT KILL ends it.",
  MASTERDOWN: "Redis is a replica that has lost its primary. Connect to the primary.",
  NOAUTH: "Redis asks for a password, and none is given. Put it into the url: redis://:<password>@<host>.",
  WRONGPASS: "Redis does not take the password (or the user) of the url. Special characters in it must be percent-encoded.",
  NOPERM: "Redis does not let its user do what the session store needs. docs/scaling.md lists the commands, keys and channels.",
  MOVED: CLUSTER,
  ASK: CLUSTER,
  CROSSSLOT: CLUSTER,
  CLUSTERDOWN: CLUSTER,
}

export const isReplyError = (error: unknown): error is Error => error instanceof Error && error.name === "ReplyError"

/** Which of the two it is cannot be told from what is heard: one that speaks TLS hangs up, one that does not says nothing. */
const UNREACHED =
  "The session store has no connection to Redis; it keeps trying. Look at the url: its host and port, and rediss:// where Redis speaks TLS there, redis:// where it does not."

const UNTRUSTED =
  "The certificate of Redis is not trusted, so the session store does not connect; it keeps trying. Give the authority that signed it (NODE_EXTRA_CA_CERTS, or redisStore({ client: new Redis({ …, tls: { ca } }) })) and address Redis by a name that the certificate has."

/** Codes of Node's for a certificate that does not hold: X509_V_ERR_… of OpenSSL, and its own for names. */
const CERTIFICATE_CODE = /CERT|UNABLE_TO_VERIFY|^ERR_TLS_CERT/

const isUntrusted = (error: unknown): boolean => error instanceof Error && "code" in error && CERTIFICATE_CODE.test(String(error.code))

/** What is wrong, and what to do about it. */
export function troubleOf(error: unknown): string {
  if (error instanceof UnsuitableRedis) return error.message
  if (isUntrusted(error)) return UNTRUSTED
  if (!isReplyError(error)) return UNREACHED
  return OF_REPLIES[/^\w+/.exec(error.message)?.[0] ?? ""] ?? "Redis refuses what the session store asks."
}

/** The oldest version that has what the scripts use. Valkey says which Redis it is like. */
const OLDEST = 7

/** What a server says of itself. */
export interface RedisInfo {
  /** Another one after each start. undefined where it may not be asked. */
  readonly runId: string | undefined
  readonly unsuitable: UnsuitableRedis | undefined
  /** What must be said of it, though it works. */
  readonly warning: string | undefined
}

/** Reads the answer to INFO. */
export function readInfo(info: string): RedisInfo {
  const of = (field: string): string | undefined => new RegExp(`^${field}:(.*?)\\r?$`, "m").exec(info)?.[1]
  const version = of("redis_version")
  const policy = of("maxmemory_policy")
  const unsuitable =
    of("redis_mode") === "cluster"
      ? CLUSTER
      : version !== undefined && Number.parseInt(version, 10) < OLDEST
        ? `Redis ${version} is too old: the session store needs Redis ${OLDEST} or newer, or Valkey.`
        : undefined
  return {
    runId: of("run_id"),
    unsuitable: unsuitable === undefined ? undefined : new UnsuitableRedis(unsuitable),
    // The others evict only keys that have a ttl, and none of ours has.
    warning: policy?.startsWith("allkeys-")
      ? `Redis evicts any key when it is full (maxmemory-policy ${policy}), so sessions and calls can vanish. Set maxmemory-policy noeviction.`
      : undefined,
  }
}
