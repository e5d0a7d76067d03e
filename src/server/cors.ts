/** Cross-origin rules: which pages may talk to this server from a browser (Fetch Standard, "CORS protocol"). */
import { quoted } from "./printable.ts"
import type { Reply } from "./reply.ts"
import type { RequestHead } from "./serverRequest.ts"
import { SessionServerError } from "./sessionServerError.ts"

/** How long a browser may keep a preflight's answer, in seconds: the most that Chromium takes (two hours). */
export const PREFLIGHT_MAX_AGE_SECONDS = 7200

export const ALLOWED_METHODS = "GET, POST, PUT, DELETE"
export const ALLOWED_HEADERS = "Authorization, Content-Type, Last-Event-ID, Idempotency-Key"
export const EXPOSED_HEADERS = "Retry-After, Event-Sockets"

/** Exact origins such as `https://app.example`, or `"*"` for every page there is. */
export type AllowedOrigins = "*" | readonly string[]

export interface Cors {
  /** Headers that every response to this request carries, refusals too. */
  headersFor(request: RequestHead): Readonly<Record<string, string>>
  /** @throws SessionServerError 403 for a page of another origin that is not allowed */
  check(request: RequestHead): void
  /** The answer to a preflight; undefined when the request is none. */
  preflight(request: RequestHead): Reply | undefined
}

/**
 * A proxy that ends TLS makes `https` outside of `http` inside, so only host and port are compared; and a framework may put a name of
 * its own into the URL (Next.js: `localhost`), so the `Host` header, which no page can set, counts as well.
 */
function isSameOrigin(origin: string, request: RequestHead): boolean {
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host === new URL(request.url).host || host === request.headers.get("host")
}

/** How many refused origins are told of, once each. */
const REFUSALS_TOLD = 100

/** As browsers write it: scheme, host and port, nothing behind. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/

/**
 * @param onRefused - Hears of each origin that was refused, once: the page itself only learns that its request failed.
 * @throws TypeError for what no browser would send as an origin
 */
export function createCors(allowedOrigins: AllowedOrigins, onRefused: (origin: string) => void = () => {}): Cors {
  const told = new Set<string>()
  for (const origin of allowedOrigins === "*" ? [] : allowedOrigins) {
    if (!ORIGIN.test(origin)) {
      throw new TypeError(`allowedOrigins: "${origin}" is not an origin; write it like https://app.example, with nothing after it.`)
    }
  }
  const list = new Set(allowedOrigins === "*" ? [] : allowedOrigins)
  const isListed = (origin: string): boolean => allowedOrigins === "*" || list.has(origin)

  const headersFor = (request: RequestHead): Record<string, string> => {
    const vary = allowedOrigins === "*" ? undefined : { vary: "Origin" }
    const origin = request.headers.get("origin")
    if (origin === null || !isListed(origin)) return { ...vary }
    return {
      ...vary,
      "access-control-allow-origin": allowedOrigins === "*" ? "*" : origin,
      "access-control-expose-headers": EXPOSED_HEADERS,
    }
  }

  return {
    headersFor,
    check(request) {
      const origin = request.headers.get("origin")
      if (origin === null || isListed(origin) || isSameOrigin(origin, request)) return
      if (!told.has(origin) && told.size < REFUSALS_TOLD) {
        told.add(origin)
        onRefused(origin)
      }
      throw new SessionServerError(
        403,
        "origin_not_allowed",
        `Pages of the origin ${quoted(origin)} may not use this server. Add it to \`allowedOrigins\` of createSessionServer.`,
      )
    },
    preflight(request) {
      if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return undefined
      return {
        status: 204,
        body: null,
        headers: {
          ...headersFor(request),
          "access-control-allow-methods": ALLOWED_METHODS,
          "access-control-allow-headers": ALLOWED_HEADERS,
          "access-control-max-age": String(PREFLIGHT_MAX_AGE_SECONDS),
        },
      }
    },
  }
}
