/** Which requests carry an API key. */

const BEARER = /^Bearer +(\S+)$/i

/** What a request carries as `Authorization: Bearer`. */
export const bearerIn = (request: Request): string | undefined => request.headers.get("authorization")?.match(BEARER)?.[1]

const digest = async (text: string): Promise<Uint8Array> => new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))

const isSame = (one: Uint8Array, other: Uint8Array): boolean => one.reduce((difference, byte, index) => difference | (byte ^ (other[index] ?? 0)), 0) === 0

export interface ApiKeys {
  readonly isEmpty: boolean
  /** Whether the request carries one of them. Takes the same time wherever two differ and whichever it is, and tells nothing of their lengths. */
  areIn(request: Request): Promise<boolean>
}

/** @param keys - Any of them is good. */
export function createApiKeys(keys: readonly string[]): ApiKeys {
  let digests: Promise<readonly Uint8Array[]> | undefined
  return {
    isEmpty: keys.length === 0,
    async areIn(request) {
      const bearer = bearerIn(request)
      if (bearer === undefined || keys.length === 0) return false
      digests ??= Promise.all(keys.map(digest))
      const [given, known] = await Promise.all([digest(bearer), digests])
      return known.map((one) => isSame(one, given)).includes(true)
    },
  }
}
