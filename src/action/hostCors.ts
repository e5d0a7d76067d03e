/** Which pages of other origins may read a host's answers in a browser (Fetch Standard, "CORS protocol"). */

import { IDEMPOTENCY_HEADER } from "./envelope.ts"

/** How long a browser may keep a preflight's answer, in seconds: the most that Chromium takes (two hours). */
export const PREFLIGHT_MAX_AGE_SECONDS = 7200

/** As browsers write it: scheme, host and port, nothing behind. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/

export interface HostCors {
  /** The answer to a preflight of a page that is let in; undefined for anything else. */
  preflight(request: Request): Response | undefined
  /** Lets the page that asked read the response, where it may. */
  allow(request: Request, response: Response): Response
}

/**
 * Nothing is refused here: a call must say that it is JSON, so a page that is not let in does not get beyond its preflight.
 *
 * @throws TypeError for what no browser would send as an origin
 */
export function createHostCors(allowedOrigins: "*" | readonly string[]): HostCors {
  const list = allowedOrigins === "*" ? [] : allowedOrigins
  const wrong = list.find((origin) => !ORIGIN.test(origin))
  if (wrong !== undefined) {
    throw new TypeError(`createActionHost: "${wrong}" of allowedOrigins is not an origin; write it like https://app.example, with nothing after it.`)
  }

  function allow(request: Request, response: Response): Response {
    if (allowedOrigins !== "*") response.headers.append("vary", "Origin")
    const origin = request.headers.get("origin")
    if (origin !== null && (allowedOrigins === "*" || list.includes(origin))) {
      response.headers.set("access-control-allow-origin", allowedOrigins === "*" ? "*" : origin)
    }
    return response
  }

  return {
    allow,
    preflight(request) {
      if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return undefined
      // Which headers a host's callers send is its `authorize`'s business: those that are asked for are allowed.
      const asked = request.headers.get("access-control-request-headers")
      const response = new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": "GET, POST",
          "access-control-allow-headers": asked ?? `authorization, content-type, ${IDEMPOTENCY_HEADER}`,
          "access-control-max-age": String(PREFLIGHT_MAX_AGE_SECONDS),
          vary: "Access-Control-Request-Headers",
        },
      })
      return allow(request, response)
    },
  }
}
