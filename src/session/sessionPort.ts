import type { PortFailure, Registered, ToolClientPort } from "../toolClient/port.ts"
import { MAX_ACKS_PER_REQUEST } from "../wire/limits.ts"
import type { AckRequest, AnswerRequest, PingRequest, RegisterRequest, UpdateRequest } from "../wire/messages.ts"
import { isRetryable, SessionError } from "../wire/sessionError.ts"
import type { TransportRequest } from "../wire/transport.ts"
import type { AuthorizedRequests } from "./authorizedRequests.ts"

/** A ping or an ack that takes longer is given up and sent again. */
export const SIGN_TIMEOUT_MS = 10_000

/** A registration, an update, an answer or a delete may carry much over a slow network. */
export const REQUEST_TIMEOUT_MS = 30_000

function failureOf(error: unknown): PortFailure {
  if (isRetryable(error)) return { kind: "retry", retryAfterMs: (error as SessionError).retryAfterMs }
  const { code, status, maxTools, refusedTools } = error as Partial<SessionError>
  if (code === "tool_client_not_found") return { kind: "gone" }
  if (code === "settled") return { kind: code }
  return { kind: status === 413 ? "too_large" : "refused", maxTools, refusedTools }
}

/** Tool clients over the session's HTTP requests (docs/PROTOCOL.md, "Requests of a page"). */
export function createSessionPort({ send }: Pick<AuthorizedRequests, "send">, sessionPath: string): ToolClientPort {
  const root = `${sessionPath}/tool-clients`
  const ask = (method: TransportRequest["method"], path: string, body?: object, isSign = false, keepalive = false): Promise<unknown> =>
    send({ method, path: root + path, body, keepalive }, isSign ? SIGN_TIMEOUT_MS : REQUEST_TIMEOUT_MS)

  /** By tool client, the acks that this tick has brought, which are one request. */
  const acks = new Map<string, { readonly callIds: string[]; readonly sent: Promise<unknown> }>()

  function ack(id: string, callId: string): Promise<unknown> {
    let batch = acks.get(id)
    if (!batch || batch.callIds.length === MAX_ACKS_PER_REQUEST) {
      const callIds: string[] = []
      // Not later: a call that was not acked may be given to another page when this one dies.
      const sent = Promise.resolve().then(() => {
        acks.delete(id)
        return ask("POST", `/${id}/acks`, { call_ids: callIds } satisfies AckRequest, true)
      })
      batch = { callIds, sent }
      acks.set(id, batch)
    }
    batch.callIds.push(callId)
    return batch.sent
  }

  return {
    async register({ name, instanceId, loadId, lifetime, tools, revision }) {
      const body: RegisterRequest = { name, instance_id: instanceId, load_id: loadId, lifetime, tools, revision }
      const registered = (await ask("POST", "", body)) as Partial<Registered> | undefined
      if (registered?.id && registered.name) return registered as Registered
      throw new SessionError("unavailable", "The registration was answered without id and name. Is a proxy in between?")
    },
    async update(id, revision, tools) {
      await ask("PUT", `/${id}/tools`, { revision, tools } satisfies UpdateRequest)
    },
    async ping(id, word, revision) {
      await ask("POST", `/${id}/ping`, (word ? { ...word, ...(revision !== undefined && { revision }) } : {}) satisfies PingRequest, true, !!word)
    },
    async ack(id, callId) {
      await ack(id, callId)
    },
    async progress(id, callId, progress) {
      await ask("POST", `/${id}/acks`, { call_ids: [callId], progress: [{ call_id: callId, ...progress }] } satisfies AckRequest, true)
    },
    async answer(id, callId, { text, is_error }) {
      await ask("POST", `/${id}/answers`, { call_id: callId, text, is_error } satisfies AnswerRequest)
    },
    async remove(id) {
      await ask("DELETE", `/${id}`)
    },
    failureOf,
  }
}
