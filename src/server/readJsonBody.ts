import { SessionServerError } from "./sessionServerError.ts"
import type { SessionServerLimits } from "./serverLimits.ts"

export type BodyLimits = Pick<SessionServerLimits, "maxBodyBytes" | "maxJsonDepth">

const tooLarge = (limits: BodyLimits): SessionServerError =>
  new SessionServerError(413, "body_too_large", `The request's body is larger than ${limits.maxBodyBytes} bytes. Send less.`)

/** A sender that goes away in the middle is no failure of ours. */
const cutShort = (cause: unknown): SessionServerError =>
  new SessionServerError(400, "invalid_request", "The body ended before it was whole.", { cause })

/**
 * In one piece where the sender has said how much it is, to which HTTP holds it; a stream in between costs more than all the rest of a
 * small request. Else it counts while it reads.
 */
async function readText(request: Request, limits: BodyLimits): Promise<string> {
  const length = request.headers.get("content-length")
  if (Number(length) > limits.maxBodyBytes) throw tooLarge(limits)
  if (length !== null) {
    const text = await request.text().catch((cause: unknown) => {
      throw cutShort(cause)
    })
    if (text.length > limits.maxBodyBytes) throw tooLarge(limits)
    return text
  }
  if (!request.body) return ""
  const reader = request.body.getReader()
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ""
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw cutShort(cause)
    })
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > limits.maxBodyBytes) {
      // Whether the sender hears of it or not, its body is refused.
      reader.cancel().catch(() => {})
      throw tooLarge(limits)
    }
    text += decoder.decode(value, { stream: true })
  }
}

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
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<unknown> {
  const text = await readText(request, limits)
  if (text === "") return undefined
  const type = request.headers.get("content-type")
  if (type?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new SessionServerError(415, "unsupported_media_type", `The body must be sent with \`Content-Type: application/json\`, not ${type ?? "without one"}.`)
  }
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw new SessionServerError(400, "invalid_request", "The body is not JSON.", { cause })
  }
  if (isDeeperThan(body, limits.maxJsonDepth)) {
    throw new SessionServerError(400, "invalid_request", `The body nests deeper than ${limits.maxJsonDepth} levels.`)
  }
  return body
}
