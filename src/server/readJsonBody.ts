import { quoted } from "./printable.ts"
import { SessionServerError } from "./sessionServerError.ts"
import type { BodyLimits, ServerRequest } from "./serverRequest.ts"

/** Walks with a list instead of recursion: what is looked for is just what would overflow the stack. */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    level = level.flatMap((item): unknown[] => (typeof item === "object" && item !== null ? Object.values(item) : []))
  }
  return false
}

/**
 * Reads a request's body as JSON. A body must say that it is JSON: a page elsewhere can then not send it without a preflight.
 * An empty body is `undefined`.
 * @throws SessionServerError 415, 413 or 400
 */
export async function readJsonBody(request: ServerRequest, limits: BodyLimits): Promise<unknown> {
  const text = await request.readText(limits)
  if (text === "") return undefined
  const type = request.headers.get("content-type")
  if (type !== "application/json" && type?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new SessionServerError(415, "unsupported_media_type", `The body must be sent with \`Content-Type: application/json\`, ${type === null ? "and says none" : `not ${quoted(type)}`}.`)
  }
  const encoding = request.headers.get("content-encoding")
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new SessionServerError(415, "unsupported_media_type", `The body must be sent without \`Content-Encoding\`, not ${quoted(encoding)}.`)
  }
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw new SessionServerError(400, "invalid_request", "The body is not JSON.", { cause })
  }
  // Each level takes two characters at least.
  if (text.length > 2 * limits.maxJsonDepth && isDeeperThan(body, limits.maxJsonDepth)) {
    throw new SessionServerError(400, "invalid_request", `The body nests deeper than ${limits.maxJsonDepth} levels.`)
  }
  return body
}
