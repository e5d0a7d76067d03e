import type { PortFailure, Registered, ToolClientPort } from "../toolClient/port.ts"
import type { AckRequest, AnswerRequest, PingRequest, RegisterRequest, UpdateRequest } from "../wire/messages.ts"
import { isRetryable, SessionError } from "../wire/sessionError.ts"
import type { AuthorizedRequests } from "./authorizedRequests.ts"

/** A ping or an ack that takes longer is given up and sent again. */
export const SIGN_TIMEOUT_MS = 10_000

/** A registration, an update, an answer or a delete may carry much over a slow network. */
export const REQUEST_TIMEOUT_MS = 30_000

function readRegistered(body: unknown): Registered {
  const { id, name } = (body ?? {}) as { id?: unknown; name?: unknown }
  if (typeof id === "string" && typeof name === "string") return { id, name }
  throw new SessionError("unavailable", "The registration was answered without id and name. Is a proxy in between?")
}

function failureOf(error: unknown): PortFailure {
  if (!(error instanceof SessionError)) return { kind: "refused" }
  const { code, status, retryAfterMs } = error
  if (isRetryable(error)) return { kind: "retry", ...(retryAfterMs !== undefined && { retryAfterMs }) }
  if (code === "tool_client_not_found") return { kind: "gone" }
  if (code === "settled") return { kind: "settled" }
  return { kind: status === 413 ? "too_large" : "refused" }
}

/** Tool clients over the session's HTTP requests (docs/PROTOCOL.md, "Requests of a page"). */
export function createSessionPort(requests: AuthorizedRequests, sessionPath: string): ToolClientPort {
  const root = `${sessionPath}/tool-clients`
  const pathOf = (id: string, what: string): string => `${root}/${encodeURIComponent(id)}${what}`
  const post = (path: string, body: unknown, timeLimitMs: number, keepalive = false): Promise<unknown> =>
    requests.send({ method: "POST", path, body, keepalive }, timeLimitMs)

  return {
    async register({ name, instanceId, loadId, lifetime, tools }) {
      const body: RegisterRequest = { name, instance_id: instanceId, load_id: loadId, lifetime, tools }
      return readRegistered(await post(root, body, REQUEST_TIMEOUT_MS))
    },
    async update(id, revision, tools) {
      const body: UpdateRequest = { revision, tools }
      await requests.send({ method: "PUT", path: pathOf(id, "/tools"), body }, REQUEST_TIMEOUT_MS)
    },
    async ping(id, word) {
      const body: PingRequest = word ?? {}
      await post(pathOf(id, "/ping"), body, SIGN_TIMEOUT_MS, word !== undefined)
    },
    async ack(id, callId) {
      const body: AckRequest = { call_ids: [callId] }
      await post(pathOf(id, "/acks"), body, SIGN_TIMEOUT_MS)
    },
    async answer(id, callId, { text, is_error }) {
      const body: AnswerRequest = { call_id: callId, text, is_error }
      await post(pathOf(id, "/answers"), body, REQUEST_TIMEOUT_MS)
    },
    async remove(id) {
      try {
        await requests.send({ method: "DELETE", path: pathOf(id, "") }, REQUEST_TIMEOUT_MS)
      } catch (error) {
        // Gone already is what was asked for.
        if (failureOf(error).kind !== "gone") throw error
      }
    },
    failureOf,
  }
}
