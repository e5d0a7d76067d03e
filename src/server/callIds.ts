/** What an agent sent to tell a repeat of its request. */
export interface CallKey {
  readonly key: string
  /** Of the request's body. */
  readonly fingerprint: string
}

/** Gives the id of the call that an `Idempotency-Key` asks for. */
export type CallIds = (sessionId: string, key: CallKey) => Promise<string>

/** Keeps what is signed here apart from whatever else the same secret signs. */
const PURPOSE = "react-tool-client/call"

/** As many as `randomId` gives: 128 bits. */
const ID_BYTES = 16

const RANDOM_SECRET_BYTES = 32

/**
 * A call that has a key has an id that follows from it, and that nobody without the secret can guess: a server that has lost its memory, or
 * forgotten the call, gives a repeat of the request the same id, by which the page knows that it has run the call.
 *
 * @param secrets - The first one signs. `@default` one at random: then only this server knows
 */
export function createCallIds(secrets: readonly string[]): CallIds {
  const [secret] = secrets
  const bytes = secret === undefined ? crypto.getRandomValues(new Uint8Array(RANDOM_SECRET_BYTES)) : new TextEncoder().encode(secret)
  let importing: Promise<CryptoKey> | undefined
  return async (sessionId, { key, fingerprint }) => {
    const signing = await (importing ??= crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]))
    const signed = await crypto.subtle.sign("HMAC", signing, new TextEncoder().encode(JSON.stringify([PURPOSE, sessionId, key, fingerprint])))
    return Array.from(new Uint8Array(signed, 0, ID_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("")
  }
}
