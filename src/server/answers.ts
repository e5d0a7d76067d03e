import { urlPath } from "../lib/urlPath.ts"
import type { Cors } from "./cors.ts"
import type { DirectAnswer } from "./directAnswer.ts"
import type { HostCheck } from "./hosts.ts"
import { jsonReply, type Reply } from "./reply.ts"
import { createRouteTable, type Routes } from "./routeTable.ts"
import type { Tell } from "./serverEvents.ts"
import type { ServerRequest } from "./serverRequest.ts"
import { SessionServerError, type SessionServerErrorCode } from "./sessionServerError.ts"

export interface AnswersOptions {
  readonly hosts: HostCheck
  readonly cors: Cors
  readonly routes: Routes
  readonly basePath: string
  /** Names behind `/v1/sessions/{sid}/` at which only web-standard requests are understood. */
  readonly webOnly: readonly string[]
  /** Milliseconds since the epoch. */
  now(): number
  /** @throws SessionServerError 503 once the server is closed */
  refuseClosed(): void
  readonly tell: Tell
  /** Hears what made a request fail that is nobody's fault but this server's. */
  report(error: unknown): void
}

export interface Answers extends DirectAnswer {
  /** Never rejects. */
  answer(request: ServerRequest): Promise<Reply>
  /** As `answer`, of endpoints of other protocols too, which give a response of their own. */
  answerAny(request: ServerRequest): Promise<Reply | Response>
}

interface Answered {
  readonly reply: Reply | Response
  readonly code: SessionServerErrorCode | null
}

const INTERNAL_ERROR = "The session server failed; its log says why. Try again."

/** The way of every request: who may address the server, from which page, to which route; and of every reply, refusals too. */
export function createAnswers({ hosts, cors, routes, basePath, webOnly, now, refuseClosed, tell, report }: AnswersOptions): Answers {
  const route = createRouteTable(routes)
  const below = `${urlPath(basePath)}/`
  /** Outside of `basePath` there is nothing, which the empty path says. */
  const pathBelow = (path: string): string => (path.startsWith(below) ? path.slice(below.length - 1) : "")

  function respond(request: ServerRequest, onRoute: (pattern: string) => void): Promise<Reply | Response> | Reply {
    hosts.check(request)
    cors.check(request)
    const preflight = cors.preflight(request)
    if (preflight) return preflight
    refuseClosed()
    return route(request, pathBelow(request.path), onRoute)
  }

  function refusalOf(error: unknown): Answered {
    if (!(error instanceof SessionServerError)) report(error)
    const { code, message, status, headers, details } = error instanceof SessionServerError ? error : new SessionServerError(500, "internal_error", INTERNAL_ERROR)
    return { reply: jsonReply({ error: { code, message, ...details } }, status, headers), code }
  }

  async function answerAny(request: ServerRequest): Promise<Reply | Response> {
    const begunAt = now()
    let pattern = "unknown"
    let answered: Answered
    try {
      answered = { reply: await respond(request, (found) => (pattern = found)), code: null }
    } catch (error) {
      answered = refusalOf(error)
    }
    const { reply, code } = answered
    tell({ type: "request.answered", method: request.method, route: pattern, status: reply.status, code, durationMs: Math.max(0, now() - begunAt) })
    const more = cors.headersFor(request)
    if (!(reply instanceof Response)) return { ...reply, headers: { ...reply.headers, ...more } }
    for (const [name, value] of Object.entries(more)) reply.headers.set(name, value)
    return reply
  }

  return {
    takes: (path) => path.startsWith(`${below}v1/`) && !webOnly.includes(path.slice(path.lastIndexOf("/") + 1)),
    answerAny,
    report,
    async answer(request) {
      const reply = await answerAny(request)
      return reply instanceof Response ? refusalOf(new Error(`What is at ${request.path} answers only web-standard requests.`)).reply as Reply : reply
    },
  }
}
