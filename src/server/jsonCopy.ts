import { isDeeperThan } from "./readJsonBody.ts"
import type { BodyLimits } from "./serverRequest.ts"
import { SessionServerError } from "./sessionServerError.ts"

/** A copy that nobody can change later, and proof that JSON can say it. */
export function jsonCopy(args: unknown, limits: BodyLimits): unknown {
  let text: string | undefined
  try {
    text = JSON.stringify(args ?? {})
  } catch (cause) {
    throw new SessionServerError(400, "invalid_request", `The arguments cannot be written as JSON: ${String(cause)}`, { cause })
  }
  // As over HTTP: what no page's stream takes would come back with each resumption.
  if (text !== undefined && text.length > limits.maxBodyBytes) {
    throw new SessionServerError(413, "body_too_large", `The arguments are longer than ${limits.maxBodyBytes} bytes of JSON. Send less.`)
  }
  const copy: unknown = JSON.parse(text ?? "{}")
  if (isDeeperThan(copy, limits.maxJsonDepth)) {
    throw new SessionServerError(400, "invalid_request", `The arguments nest deeper than ${limits.maxJsonDepth} levels.`)
  }
  return copy
}
