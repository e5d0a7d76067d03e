/** The agent's half of the protocol over HTTP: sessions, tokens, tools and calls, all by API key. */
import { RESULT_DEADLINE_MS } from "../wire/limits.ts"
import { type AgentAuthorization, authorizeAgent } from "./authorization.ts"
import type { NumberedProgress } from "./callRecord.ts"
import type { CallIds } from "./callIds.ts"
import { type CallWaiter, outcomeOf } from "./callWaiter.ts"
import { quoted } from "./printable.ts"
import { readJsonBody } from "./readJsonBody.ts"
import { jsonReply, noContent, type Reply } from "./reply.ts"
import type { RequestBodies } from "./requestBodies.ts"
import type { RouteContext, Routes } from "./routeTable.ts"
import { DEFAULT_WAIT_SECONDS, MAX_IDEMPOTENCY_KEY_LENGTH, type SessionServerLimits } from "./serverLimits.ts"
import type { RequestHead } from "./serverRequest.ts"
import { SessionServerError } from "./sessionServerError.ts"
import type { SessionService } from "./sessionService.ts"
import type { TokenIssuer } from "./tokenIssuer.ts"
import type { ToolLists } from "./toolLists.ts"

export interface AgentRoutesOptions {
  readonly authorization: AgentAuthorization
  readonly service: SessionService
  readonly issuer: TokenIssuer
  readonly callIds: CallIds
  readonly waiter: CallWaiter
  readonly lists: ToolLists
  readonly bodies: RequestBodies
  readonly limits: SessionServerLimits
  /** @throws SessionServerError 503 while the server waits for what is under way: nothing new then */
  refuseNew(): void
}

/** As people write them: `Number` takes a space, `0x10` and `1e400`, too. */
const SECONDS = /^\d+(?:\.\d+)?$/

/** `?wait=` in seconds, cut at the deadline, after which every call is settled. */
function waitMsOf(query: URLSearchParams, defaultSeconds: number = DEFAULT_WAIT_SECONDS): number {
  const text = query.get("wait")
  if (text !== null && !SECONDS.test(text)) {
    throw new SessionServerError(400, "invalid_request", `wait: must be a number of seconds from 0, not ${quoted(text)}.`)
  }
  return Math.min((text === null ? defaultSeconds : Number(text)) * 1000, RESULT_DEADLINE_MS)
}

/** `?progress=`: the number of the last report that the agent knows; without it, none is waited for. */
function progressOf(query: URLSearchParams): number {
  const text = query.get("progress")
  if (text === null) return Infinity
  if (/^\d+$/.test(text)) return Number(text)
  throw new SessionServerError(400, "invalid_request", `progress: must be the number of a report, 0 for none yet, not ${quoted(text)}.`)
}

function idempotencyKeyOf(request: RequestHead): string | null {
  const key = request.headers.get("idempotency-key")
  if (key === null || (key.length > 0 && key.length <= MAX_IDEMPOTENCY_KEY_LENGTH)) return key
  throw new SessionServerError(400, "invalid_request", `Idempotency-Key: must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters.`)
}

/** Tells two bodies apart without keeping them. */
async function fingerprintOf(body: unknown): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(body)))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

export function createAgentRoutes(options: AgentRoutesOptions): Routes {
  const { authorization, service, issuer, callIds, waiter, lists, bodies, limits, refuseNew } = options

  const byAgent =
    (handle: (context: RouteContext, sessionId: string, who: string) => Promise<Reply>) =>
    async (context: RouteContext): Promise<Reply> => {
      const sessionId = context.parameter("sid")
      const who = await authorizeAgent(context.request, { sessionId }, authorization)
      return handle(context, sessionId, who)
    }

  /** 202 says how far the call is; asked with `progress`, it comes as soon as there is a report that the agent does not know. */
  const join = async ({ request }: RouteContext, sessionId: string, callId: string, timeoutMs: number, isKnown: boolean): Promise<Reply> => {
    const known = progressOf(request.query)
    let progress: NumberedProgress | undefined
    const onProgress = (news: NumberedProgress): boolean => {
      progress = news
      return news.number > known
    }
    const call = await waiter.wait(sessionId, callId, { timeoutMs, endWhen: request.onGone, isKnown, onProgress })
    return call ? jsonReply(outcomeOf(call)) : jsonReply({ call_id: callId, ...(progress && { progress }) }, 202)
  }

  return {
    async "POST /v1/sessions"({ request }) {
      await authorizeAgent(request, { sessionId: null }, authorization)
      refuseNew()
      return jsonReply(await issuer.createSession(), 201)
    },
    "PUT /v1/sessions/:sid": byAgent(async (_context, id) => {
      refuseNew()
      return jsonReply(await issuer.createSession({ id }), 201)
    }),
    "DELETE /v1/sessions/:sid": byAgent(async (_context, sessionId) => {
      await issuer.revokeSession(sessionId)
      return noContent
    }),
    "POST /v1/sessions/:sid/tokens": byAgent(async (_context, sessionId) =>
      jsonReply(await issuer.createToken(sessionId), 201),
    ),
    "DELETE /v1/sessions/:sid/tokens/:token": byAgent(async (context, sessionId) => {
      await issuer.revokeToken(sessionId, context.parameter("token"))
      return noContent
    }),
    "GET /v1/sessions/:sid/tools": byAgent(async ({ request }, sessionId) => {
      const timeoutMs = waitMsOf(request.query, 0)
      // A proxy that compresses makes a weak tag of a strong one.
      const known = request.headers.get("if-none-match")?.replace(/^W\//, "")
      const list = known === undefined ? await lists.read(sessionId) : await lists.change(sessionId, known, { timeoutMs, endWhen: request.onGone })
      if (!list) return { status: 304, headers: { etag: known as string }, body: null }
      return jsonReply(list.tools, 200, { etag: list.etag, "cache-control": "no-cache" })
    }),
    "POST /v1/sessions/:sid/tool-calls": byAgent(async (context, sessionId, who) => {
      refuseNew()
      const timeoutMs = waitMsOf(context.request.query)
      const key = idempotencyKeyOf(context.request)
      const body = bodies.call(await readJsonBody(context.request, limits))
      const idempotency = key === null ? null : { key, fingerprint: await fingerprintOf(body) }
      const traceparent = context.request.headers.get("traceparent")
      const asked = { ...body, idempotency, ...(idempotency && { callId: await callIds(sessionId, idempotency) }) }
      const callId = await service.call(sessionId, asked, { who, traceparent })
      return join(context, sessionId, callId, timeoutMs, true)
    }),
    "GET /v1/sessions/:sid/tool-calls/:call": byAgent((context, sessionId) =>
      join(context, sessionId, context.parameter("call"), waitMsOf(context.request.query), false),
    ),
    "POST /v1/sessions/:sid/tool-calls/:call/cancel": byAgent(async (context, sessionId) => {
      const callId = context.parameter("call")
      await service.cancel(sessionId, callId)
      return join(context, sessionId, callId, 0, true)
    }),
  }
}
