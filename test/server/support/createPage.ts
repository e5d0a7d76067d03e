import type { AnswerRequest, ErrorBody, PingRequest, RegisterRequest, RegisterResponse, ToolSpec } from "../../../src/wire/messages.ts"
import { type EventReader, readEvents } from "./readEvents.ts"

export type Fetch = (request: Request) => Promise<Response>

export interface Answered<Body = unknown> {
  readonly status: number
  readonly body: Body
  readonly headers: Headers
}

/** A tool as short as it may be. */
export const aTool = (name: string, more: Partial<ToolSpec> = {}): ToolSpec => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: "object" },
  ...more,
})

export const aRegistration = (more: Partial<RegisterRequest> = {}): RegisterRequest => ({
  name: "web",
  instance_id: "tab-1",
  load_id: "load-1",
  lifetime: { type: "ttl", data: { seconds: 60 } },
  tools: [aTool("add")],
  ...more,
})

/** Sends requests as the protocol has them; knows nothing that a page does not. */
export function createPage(options: { fetch: Fetch; baseUrl?: string; sessionId: string; token: string; headers?: Record<string, string> }) {
  const { fetch, baseUrl = "http://server.test", sessionId, token, headers: extra = {} } = options
  const root = `${baseUrl}/v1/sessions/${sessionId}`

  async function send<Body = ErrorBody>(method: string, path: string, body?: unknown): Promise<Answered<Body>> {
    const response = await fetch(
      new Request(root + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...extra,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    return { status: response.status, body: (text ? JSON.parse(text) : undefined) as Body, headers: response.headers }
  }

  return {
    send,
    async stream(lastEventId?: string, signal?: AbortSignal): Promise<EventReader> {
      const response = await fetch(
        new Request(`${root}/events`, {
          headers: { authorization: `Bearer ${token}`, ...(lastEventId !== undefined && { "last-event-id": lastEventId }), ...extra },
          ...(signal && { signal }),
        }),
      )
      if (response.status !== 200) throw new Error(`The stream was answered ${response.status}: ${await response.text()}`)
      return readEvents(response)
    },
    register: (more: Partial<RegisterRequest> = {}) => send<RegisterResponse>("POST", "/tool-clients", aRegistration(more)),
    update: (id: string, revision: number, tools: readonly ToolSpec[]) => send("PUT", `/tool-clients/${id}/tools`, { revision, tools }),
    ping: (id: string, ping: PingRequest = {}) => send("POST", `/tool-clients/${id}/ping`, ping),
    remove: (id: string) => send("DELETE", `/tool-clients/${id}`),
    ack: (id: string, ...call_ids: string[]) => send("POST", `/tool-clients/${id}/acks`, { call_ids }),
    answer: (id: string, call_id: string, more: Partial<AnswerRequest> = {}) =>
      send("POST", `/tool-clients/${id}/answers`, { call_id, text: "done", is_error: false, ...more }),
  }
}

export type Page = ReturnType<typeof createPage>
