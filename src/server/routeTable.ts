import { SessionServerError } from "./sessionServerError.ts"

export type Method = "GET" | "POST" | "PUT" | "DELETE"

export interface RouteContext {
  readonly request: Request
  readonly url: URL
  /** @throws Error when the route's path has no such `:name`: a mistake of ours */
  parameter(name: string): string
}

/** Whether a handler was found, and whose pattern it has: `/v1/sessions/:sid/tools`, for logs and metrics. */
export type OnRoute = (pattern: string) => void

export type Handler = (context: RouteContext) => Promise<Response>

/** `"POST /v1/sessions/:sid/tool-calls"` */
export type Routes = Readonly<Record<`${Method} /${string}`, Handler>>

function match(pattern: readonly string[], segments: readonly string[]): ReadonlyMap<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined
  const parameters = new Map<string, string>()
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? ""
    if (part.startsWith(":")) parameters.set(part.slice(1), segment)
    else if (part !== segment) return undefined
  }
  return parameters
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    throw new SessionServerError(400, "invalid_request", `The path holds "${segment}", which is not properly encoded.`, { cause })
  }
}

/** Finds a path's handler among a few. `URLPattern` would do it, but Node 20 has none. */
export function createRouteTable(routes: Routes): (request: Request, url: URL, path: string, onRoute: OnRoute) => Promise<Response> {
  const table = Object.entries(routes).map(([key, handler]) => {
    const [method = "", path = ""] = key.split(" ")
    return { method, pattern: path.split("/"), handler }
  })
  return async (request, url, path, onRoute) => {
    const segments = path.split("/").map(decodeSegment)
    const allowed = new Set<string>()
    for (const { method, pattern, handler } of table) {
      const parameters = match(pattern, segments)
      if (!parameters) continue
      allowed.add(method)
      onRoute(pattern.join("/"))
      if (method !== request.method) continue
      const parameter = (name: string): string => {
        const value = parameters.get(name)
        if (value === undefined) throw new Error(`The route "${pattern.join("/")}" has no parameter "${name}".`)
        return value
      }
      return handler({ request, url, parameter })
    }
    if (allowed.size === 0) throw new SessionServerError(404, "not_found", `There is nothing at ${url.pathname}. docs/PROTOCOL.md lists the paths; \`basePath\` says what stands before them.`)
    const allow = [...allowed].join(", ")
    throw new SessionServerError(405, "method_not_allowed", `${request.method} is not for ${path}; it takes ${allow}.`, { headers: { allow } })
  }
}
