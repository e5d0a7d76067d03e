/** The agent's half of the protocol over HTTP: sessions, tokens, tools and calls, all by API key. */
import { RESULT_DEADLINE_MS } from "../wire/limits.ts"
import { authorizeAgent } from "./authorization.ts"
import type { CallWaiter } from "./callWaiter.ts"
import type { IssuedToken, NewSession } from "./tokenIssuer.ts"
import { readJsonBody } from "./readJsonBody.ts"
import type { RequestBodies } from "./requestBodies.ts"
import type { RouteContext, Routes } from "./routeTable.ts"
import { DEFAULT_WAIT_SECONDS, MAX_IDEMPOTENCY_KEY_LENGTH, type SessionServerLimits } from "./serverLimits.ts"
import { SessionServerError } from "./sessionServerError.ts"
import type { SettledCall } from "./sessionState.ts"
import type { SessionService } from "./sessionService.ts"
import type { SessionTokens } from "./tokens.ts"
import type { ToolLists } from "./toolLists.ts"

export interface AgentRoutesOptions {
  readonly apiKey: string | undefined
  readonly service: SessionService
  readonly waiter: CallWaiter
  readonly lists: ToolLists
  readonly tokens: SessionTokens
  readonly bodies: RequestBodies
  readonly limits: SessionServerLimits
  createSession(): Promise<NewSession>
  createToken(sessionId: string): Promise<IssuedToken>
}

/** What a settled call looks like on the wire. */
export const outcomeOf = ({ id, answer }: SettledCall): { call_id: string; text: string; is_error: boolean } => ({
  call_id: id,
  ...answer,
})

/** `?wait=` in seconds, cut at the deadline, after which every call is settled. */
function waitMsOf(url: URL, defaultSeconds: number = DEFAULT_WAIT_SECONDS): number {
  const text = url.searchParams.get("wait")
  const seconds = text === null ? defaultSeconds : Number(text)
  if (text === "" || !(seconds >= 0)) {
    throw new SessionServerError(400, "invalid_request", `wait: must be a number of seconds from 0, not "${text}".`)
  }
  return Math.min(seconds * 1000, RESULT_DEADLINE_MS)
}

function idempotencyKeyOf(request: Request): string | null {
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
  const { apiKey, service, waiter, lists, tokens, bodies, limits } = options

  const byAgent =
    (handle: (context: RouteContext, sessionId: string) => Promise<Response>) =>
    async (context: RouteContext): Promise<Response> => {
      await authorizeAgent(context.request, apiKey, tokens)
      return handle(context, context.parameter("sid"))
    }

  const join = async ({ request }: RouteContext, sessionId: string, callId: string, timeoutMs: number): Promise<Response> => {
    const call = await waiter.wait(sessionId, callId, { timeoutMs, signal: request.signal })
    return call ? Response.json(outcomeOf(call)) : Response.json({ call_id: callId }, { status: 202 })
  }

  return {
    async "POST /v1/sessions"({ request }) {
      await authorizeAgent(request, apiKey, tokens)
      return Response.json(await options.createSession(), { status: 201 })
    },
    "POST /v1/sessions/:sid/tokens": byAgent(async (_context, sessionId) =>
      Response.json(await options.createToken(sessionId), { status: 201 }),
    ),
    "GET /v1/sessions/:sid/tools": byAgent(async ({ request, url }, sessionId) => {
      const timeoutMs = waitMsOf(url, 0)
      // A proxy that compresses makes a weak tag of a strong one.
      const known = request.headers.get("if-none-match")?.replace(/^W\//, "")
      const list = known === undefined ? await lists.read(sessionId) : await lists.change(sessionId, known, { timeoutMs, signal: request.signal })
      if (!list) return new Response(null, { status: 304, headers: { etag: known as string } })
      return Response.json(list.tools, { headers: { etag: list.etag, "cache-control": "no-cache" } })
    }),
    "POST /v1/sessions/:sid/tool-calls": byAgent(async (context, sessionId) => {
      const timeoutMs = waitMsOf(context.url)
      const key = idempotencyKeyOf(context.request)
      const body = bodies.call(await readJsonBody(context.request, limits))
      const idempotency = key === null ? null : { key, fingerprint: await fingerprintOf(body) }
      const callId = await service.call(sessionId, { ...body, idempotency })
      return join(context, sessionId, callId, timeoutMs)
    }),
    "GET /v1/sessions/:sid/tool-calls/:call": byAgent((context, sessionId) =>
      join(context, sessionId, context.parameter("call"), waitMsOf(context.url)),
    ),
    "POST /v1/sessions/:sid/tool-calls/:call/cancel": byAgent(async (context, sessionId) => {
      const callId = context.parameter("call")
      await service.cancel(sessionId, callId)
      return join(context, sessionId, callId, 0)
    }),
  }
}
