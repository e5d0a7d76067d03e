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
  const reasons = new Set<string>()
  try {
    let cause = thrown
    for (let followed = 0; cause != null && followed <= CAUSES_FOLLOWED; followed++) {
      const { message, name, cause: next } = cause as { message?: string; name?: string; cause?: unknown }
      reasons.add(String(message || name || (typeof cause === "object" ? JSON.stringify(cause) : (cause as string))))
      cause = next
    }
  } catch {
    // What cannot be read gives no reason.
  }
  return shorten([...reasons].join(": ") || "no reason was given", REASON_MAX_LENGTH)
}
