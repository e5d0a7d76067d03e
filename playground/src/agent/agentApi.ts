import type { JsonSchema, ToolAnswer } from "react-tool-client"
import { requestJson } from "../session/requestJson.ts"

/** A tool as an agent sees it. */
export interface AgentTool {
  /** `client__web__add_todo` */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly parameters: JsonSchema
}

/** How a call ended, as the agent is told. */
export interface CallOutcome extends ToolAnswer {
  readonly call_id: string
}

/** An agent of one session. It goes through the page's back end, which adds the API key. */
export interface AgentApi {
  /** Where the session is for an agent, without a key: for a terminal. */
  readonly url: string
  tools(signal: AbortSignal): Promise<readonly AgentTool[]>
  /** Starts a call and resolves with its id at once. */
  start(tool: string, args: unknown): Promise<string>
  /** Resolves when the call is settled. */
  settled(callId: string, signal: AbortSignal): Promise<CallOutcome>
  cancel(callId: string): Promise<void>
}

/**
 * How many requests may wait for an answer at once. A browser opens six connections to a host over HTTP/1.1; the page needs them
 * to take calls and to answer them.
 */
const MAX_WAITING = 2

/** Seconds that one request waits, so that the next in the queue has its turn. */
const WAIT_SECONDS = 2

/** Lets `limit` run at a time, the others in the order they came. */
function createGate(limit: number) {
  const queue: (() => void)[] = []
  let free = limit
  const enter = async (): Promise<void> => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => queue.push(resolve))
  }
  const leave = (): void => {
    const next = queue.shift()
    if (next) next()
    else free++
  }
  return async <Result>(run: () => Promise<Result>): Promise<Result> => {
    await enter()
    try {
      return await run()
    } finally {
      leave()
    }
  }
}

export function createAgentApi(sessionId: string, baseUrl = "/playground"): AgentApi {
  const url = `${baseUrl}/sessions/${encodeURIComponent(sessionId)}`
  const gate = createGate(MAX_WAITING)
  const callUrl = (callId: string): string => `${url}/tool-calls/${encodeURIComponent(callId)}`

  return {
    url,
    tools: (signal) => requestJson<AgentTool[]>(`${url}/tools`, { signal }),
    async start(tool, args) {
      const started = await requestJson<{ call_id: string }>(`${url}/tool-calls?wait=0`, {
        method: "POST",
        // The same key again is the same call: a retry by the browser runs nothing twice.
        headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
        body: JSON.stringify({ tool, arguments: args }),
      })
      return started.call_id
    },
    async settled(callId, signal) {
      for (;;) {
        const call = await gate(() => {
          signal.throwIfAborted()
          return requestJson<CallOutcome | { call_id: string }>(`${callUrl(callId)}?wait=${WAIT_SECONDS}`, { signal })
        })
        if ("text" in call) return call
      }
    },
    async cancel(callId) {
      await requestJson(`${callUrl(callId)}/cancel`, { method: "POST" })
    },
  }
}
