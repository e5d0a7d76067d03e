import { shorten } from "./pathText.ts"

/** The longest reason that a model is given, in characters. */
const REASON_MAX_LENGTH = 1_000

/** How many causes are followed: the reason is often one or two below the error that was thrown. */
const CAUSES_FOLLOWED = 3

/**
 * Says why something failed, of whatever was thrown: an error's message with its causes' messages, never its stack, or the value
 * itself. Never throws, also where the value's getters do.
 */
export function reasonOf(thrown: unknown): string {
  const reasons: string[] = []
  try {
    for (let cause = thrown; cause != null && reasons.length <= CAUSES_FOLLOWED; ) {
      const { message, name, cause: next } = cause as { message?: unknown; name?: unknown; cause?: unknown }
      const reason = String(message || name || (typeof cause === "object" ? JSON.stringify(cause) : cause))
      if (!reasons.includes(reason)) reasons.push(reason)
      cause = next
    }
  } catch {
    // What cannot be read gives no reason.
  }
  return shorten(reasons.join(": ") || "no reason was given", REASON_MAX_LENGTH)
}
