import type { SessionTokens, TokenClaims } from "./tokens.ts"

/** Verified tokens that are kept, the one that was used longest ago is dropped first: a few hundred bytes each, one for each page that is open. */
export const TOKENS_KEPT = 10_000

/**
 * Verifies a token once: a page sends the same one with each request for an hour, and checking its signature is the dearest part of a
 * small one. What may change is looked at each time: here its expiry, and by the caller whether it was revoked.
 */
export function rememberTokens(tokens: SessionTokens, now: () => number): SessionTokens {
  const verified = new Map<string, TokenClaims>()
  return {
    sign: (claims) => tokens.sign(claims),
    async verify(token) {
      const known = verified.get(token)
      verified.delete(token)
      // An expired one is refused by whoever knows the words for it.
      const claims = known && known.expiresAt > now() ? known : await tokens.verify(token)
      verified.set(token, claims)
      for (const [oldest] of verified) {
        if (verified.size <= TOKENS_KEPT) break
        verified.delete(oldest)
      }
      return claims
    },
  }
}
