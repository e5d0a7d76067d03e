/** Which requests carry an API key. */
import type { RequestHead } from "./serverRequest.ts"

const BEARER = /^Bearer +(\S+)$/i

/** What a request carries as `Authorization: Bearer`. */
export const bearerIn = (request: RequestHead): string | undefined => request.headers.get("authorization")?.match(BEARER)?.[1]

const digest = async (text: string): Promise<Uint8Array> => new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))

const isSame = (one: Uint8Array, other: Uint8Array): boolean => one.reduce((difference, byte, index) => difference | (byte ^ (other[index] ?? 0)), 0) === 0

export interface ApiKeys {
  readonly isEmpty: boolean
  /** Whether the request carries one of them. Takes the same time wherever two differ and whichever it is, and tells nothing of their lengths. */
  areIn(request: RequestHead): Promise<boolean>
}

/** @param keys - Any of them is good. */
export function createApiKeys(keys: readonly string[]): ApiKeys {
  let digests: Promise<readonly Uint8Array[]> | undefined
  /**
   * Those that were found good, one for each key at most: a hash a key, not one a request. A `Set` compares texts only where their own hashes
   * agree, whose seed nobody outside knows: how long it takes tells nothing of how much of a wrong key is right.
   */
  const good = new Set<string>()
  return {
    isEmpty: keys.length === 0,
    async areIn(request) {
      const bearer = bearerIn(request)
      if (bearer === undefined || keys.length === 0) return false
      if (good.has(bearer)) return true
      digests ??= Promise.all(keys.map(digest))
      const [given, known] = await Promise.all([digest(bearer), digests])
      const isGood = known.map((one) => isSame(one, given)).includes(true)
      if (isGood) good.add(bearer)
      return isGood
    },
  }
}
