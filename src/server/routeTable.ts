import { quoted } from "./printable.ts"
import type { Reply } from "./reply.ts"
import type { ServerRequest } from "./serverRequest.ts"
import { SessionServerError } from "./sessionServerError.ts"

export type Method = "GET" | "POST" | "PUT" | "DELETE"

export interface RouteContext {
  readonly request: ServerRequest
  /** @throws Error when the route's path has no such `:name`: a mistake of ours */
  parameter(name: string): string
}

/** Whether a handler was found, and whose pattern it has: `/v1/sessions/:sid/tools`, for logs and metrics. */
export type OnRoute = (pattern: string) => void

/** Endpoints of other protocols answer with a response of their own. */
export type Handler = (context: RouteContext) => Promise<Reply | Response>

/** `"POST /v1/sessions/:sid/tool-calls"` */
export type Routes = Readonly<Record<`${Method} /${string}`, Handler>>

/** All that is at one path. */
interface Place {
  readonly pattern: string
  readonly segments: readonly string[]
  readonly handlers: Map<string, Handler>
}

const isMatch = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.every((part, index) => part.startsWith(":") || part === segments[index])

function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    throw new SessionServerError(400, "invalid_request", `The path holds ${quoted(segment)}, which is not properly encoded.`, { cause })
  }
}

function placesOf(routes: Routes): ReadonlyMap<number, readonly Place[]> {
  const places = new Map<string, Place>()
  for (const [key, handler] of Object.entries(routes)) {
    const [method = "", pattern = ""] = key.split(" ")
    const place = places.get(pattern) ?? { pattern, segments: pattern.split("/"), handlers: new Map() }
    places.set(pattern, place)
    place.handlers.set(method, handler)
  }
  const byLength = new Map<number, Place[]>()
  for (const place of places.values()) byLength.set(place.segments.length, [...(byLength.get(place.segments.length) ?? []), place])
  return byLength
}

/** Finds a path's handler among a few. `URLPattern` would do it, but Node 20 has none. */
export function createRouteTable(routes: Routes): (request: ServerRequest, path: string, onRoute: OnRoute) => Promise<Reply | Response> {
  const places = placesOf(routes)
  return async (request, path, onRoute) => {
    const segments = path.split("/").map(decodeSegment)
    const place = places.get(segments.length)?.find((each) => isMatch(each.segments, segments))
    if (!place) throw new SessionServerError(404, "not_found", `There is nothing at ${quoted(request.path)}. docs/PROTOCOL.md lists the paths; \`basePath\` says what stands before them.`)
    onRoute(place.pattern)
    const handler = place.handlers.get(request.method)
    if (!handler) {
      const allow = [...place.handlers.keys()].join(", ")
      throw new SessionServerError(405, "method_not_allowed", `${request.method} is not for ${quoted(path)}; it takes ${allow}.`, { headers: { allow } })
    }
    const parameter = (name: string): string => {
      const value = segments[place.segments.indexOf(`:${name}`)]
      if (value === undefined) throw new Error(`The route "${place.pattern}" has no parameter "${name}".`)
      return value
    }
    return handler({ request, parameter })
  }
}
