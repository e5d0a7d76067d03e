import { expect } from "vitest"
import { createSessionClient, type Session, systemClock } from "../../../src/client.ts"
import { API_KEY } from "./openServer.ts"

/** How a call ended for its agent: with an outcome, or refused because the tool was not offered. */
export type CallEnd =
  | { readonly type: "settled"; readonly call_id: string; readonly text: string; readonly is_error: boolean }
  | { readonly type: "refused"; readonly code: string }

export interface Call {
  readonly key: string
  readonly input: number
  readonly end: Promise<CallEnd>
}

/** How long an agent asks for one call, in milliseconds. */
const AGENT_PATIENCE_MS = 45_000

/** Between two tries of an agent, in milliseconds. */
const AGENT_RETRY_MS = 100

/** Streams that break again and again are opened again later and later; here they break on purpose. */
const EAGER = { ...systemClock, random: () => 0.02 }

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends a request of the agent until some server has answered it. */
async function request(method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<{ status: number; body: unknown }> {
  let last: unknown
  for (const until = Date.now() + AGENT_PATIENCE_MS; ; await pause(AGENT_RETRY_MS)) {
    try {
      const response = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${API_KEY}`, connection: "close", ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      })
      const answered: unknown = await response.json()
      if (response.status < 500 && response.status !== 429) return { status: response.status, body: answered }
      last = answered
    } catch (error) {
      // The server has died, or Redis is away.
      last = error
    }
    if (Date.now() > until) throw new Error(`Nobody answers ${method} ${url}: ${JSON.stringify(last)}`, { cause: last })
  }
}

/** Pages and agents that count what becomes of each call. */
export function createLedger(options: { readonly pageUrl: string; readonly agentUrl: string }) {
  const { pageUrl, agentUrl } = options
  /** How often each call was executed. */
  const executed = new Map<string, number>()
  const sessions: Session[] = []
  let calls = 0

  async function ask(sessionId: string, key: string, input: number, tool = "client__web__double"): Promise<CallEnd> {
    for (;;) {
      const { status, body } = await request("POST", `${agentUrl}/v1/sessions/${sessionId}/tool-calls?wait=10`, { tool, arguments: { input } }, { "idempotency-key": key })
      if (status === 200) return { type: "settled", ...(body as { call_id: string; text: string; is_error: boolean }) }
      if (status !== 202) return { type: "refused", code: (body as { error: { code: string } }).error.code }
    }
  }

  return {
    executed,
    async createSession(): Promise<string> {
      const { body } = await request("POST", `${agentUrl}/v1/sessions`)
      return (body as { id: string }).id
    },
    /** A page with one tool that takes `workMs`. */
    async openPage(sessionId: string, { name = "web", workMs = () => 0 }: { name?: string; workMs?: () => number } = {}): Promise<Session> {
      const client = createSessionClient({
        baseUrl: pageUrl,
        clock: EAGER,
        getToken: async () => ((await request("POST", `${agentUrl}/v1/sessions/${sessionId}/tokens`)).body as { token: string }).token,
      })
      const session = client.open(sessionId, { onError() {} })
      sessions.push(session)
      const tools = session.createToolClient(name, { lifetime: { type: "ttl", data: { seconds: 20 } } })
      tools.addTool("double", {
        description: "Doubles a number.",
        parameters: { type: "object", properties: { input: { type: "number" } } },
        async execute(args, call) {
          executed.set(call.callId, (executed.get(call.callId) ?? 0) + 1)
          const ms = workMs()
          if (ms > 0) await pause(ms)
          return String((args as { input: number }).input * 2)
        },
      })
      await tools.ready
      return session
    },
    call(sessionId: string, tool?: string): Call {
      const input = ++calls
      const key = `key-${input}`
      return { key, input, end: ask(sessionId, key, input, tool) }
    },
    /** Asks for a call once more, as an agent does that has not heard the answer. */
    ask: (sessionId: string, { key, input }: Call): Promise<CallEnd> => ask(sessionId, key, input),
    /** What must hold of calls, however they went. */
    check(ends: readonly { readonly call: Call; readonly end: CallEnd }[]): void {
      for (const [callId, count] of executed) expect({ callId, count }).toEqual({ callId, count: 1 })
      const ids = ends.flatMap(({ end }) => (end.type === "settled" ? [end.call_id] : []))
      expect(new Set(ids).size).toBe(ids.length)
      for (const { call, end } of ends) {
        if (end.type === "settled" && !end.is_error) expect(end.text).toBe(String(call.input * 2))
      }
    },
    async close(): Promise<void> {
      await Promise.all(sessions.splice(0).map((session) => session.close()))
    },
  }
}

export type Ledger = ReturnType<typeof createLedger>
