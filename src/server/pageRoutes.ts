/** The page's half of the protocol over HTTP: the stream and what a tool client sends. */
import { authorizePage } from "./authorization.ts"
import type { EventStreams } from "./eventStreams.ts"
import type { RateLimiter } from "./rateLimits.ts"
import { readJsonBody } from "./readJsonBody.ts"
import { jsonReply, noContent, type Reply } from "./reply.ts"
import type { RequestBodies } from "./requestBodies.ts"
import type { RouteContext, Routes } from "./routeTable.ts"
import { RETRY_WHEN_FULL_SECONDS, type SessionServerLimits } from "./serverLimits.ts"
import { tooMany } from "./sessionServerError.ts"
import type { Access, SessionService } from "./sessionService.ts"
import type { SessionTokens } from "./tokens.ts"

export interface PageRoutesOptions {
  readonly service: SessionService
  readonly streams: EventStreams
  readonly tokens: SessionTokens
  readonly bodies: RequestBodies
  readonly limits: SessionServerLimits
  /** Of the requests of one session's pages. */
  readonly rate: RateLimiter
  /** Milliseconds since the epoch. */
  now(): number
  /** @throws SessionServerError 503 while the server waits for what is under way: nothing new then */
  refuseNew(): void
}

/** `no-transform` and `X-Accel-Buffering` keep proxies from gathering events before they pass them on. */
const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
}

export function createPageRoutes({ service, streams, tokens, bodies, limits, rate, now, refuseNew }: PageRoutesOptions): Routes {
  async function accessOf({ request, parameter }: RouteContext): Promise<Access> {
    const access = await authorizePage(request, parameter("sid"), tokens)
    rate.count(access.sessionId, now())
    return access
  }

  /** A request of one tool client: token first, so that strangers' bodies are not even read. */
  const ofClient =
    <Body>(read: (body: unknown) => Body, run: (access: Access, clientId: string, body: Body) => Promise<void>) =>
    async (context: RouteContext): Promise<Reply> => {
      const access = await accessOf(context)
      const body = read(await readJsonBody(context.request, limits))
      await run(access, context.parameter("cid"), body)
      return noContent
    }

  return {
    async "GET /v1/sessions/:sid/events"(context) {
      const access = await accessOf(context)
      await service.enter(access)
      refuseNew()
      if (streams.count(access.sessionId) >= limits.maxStreams) {
        throw tooMany("too_many_streams", `The session has ${limits.maxStreams} open streams, as many as it may.`, RETRY_WHEN_FULL_SECONDS)
      }
      const lastEventId = context.request.headers.get("last-event-id") ?? undefined
      return { status: 200, headers: STREAM_HEADERS, body: streams.open(access, lastEventId) }
    },
    async "POST /v1/sessions/:sid/tool-clients"(context) {
      const access = await accessOf(context)
      const body = bodies.register(await readJsonBody(context.request, limits))
      return jsonReply(await service.register(access, body), 201)
    },
    "PUT /v1/sessions/:sid/tool-clients/:cid/tools": ofClient(bodies.update, service.update),
    "POST /v1/sessions/:sid/tool-clients/:cid/ping": ofClient(bodies.ping, service.ping),
    "POST /v1/sessions/:sid/tool-clients/:cid/acks": ofClient(bodies.acks, service.ack),
    "POST /v1/sessions/:sid/tool-clients/:cid/answers": ofClient(bodies.answer, service.answer),
    async "DELETE /v1/sessions/:sid/tool-clients/:cid"(context) {
      await service.remove(await accessOf(context), context.parameter("cid"))
      return noContent
    },
  }
}
