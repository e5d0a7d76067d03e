/**
 * The session protocol as data: what stands in each request, answer and event, with the wire's own spelling.
 * No I/O and no checks beyond shape; docs/PROTOCOL.md says who sends what and when.
 */

import type { CallProgress } from "../tool/toolCall.ts"
import type { JsonSchema, ToolAnswer, ToolSpec } from "../tool/toolSpec.ts"

export type { JsonSchema, ToolAnswer, ToolSpec }

/**
 * How long a tool client lives without a sign of life (docs/PROTOCOL.md, "Staying alive"):
 * `ttl` is dropped `seconds` after its last ping, `never` lives until something deletes it.
 */
export type Lifetime = { readonly type: "ttl"; readonly data: { readonly seconds: number } } | { readonly type: "never" }

/** `POST /v1/sessions/{sid}/tool-clients` */
export interface RegisterRequest {
  readonly name: string
  readonly instance_id: string
  readonly load_id: string
  readonly lifetime: Lifetime
  readonly tools: readonly ToolSpec[]
  /**
   * The revision that `tools` are, when the client counts on over its registrations: a copy held up on its way then
   * cannot bring back an older set. @default 0, which always counts
   */
  readonly revision?: number
}

/** 201 of a registration: the client's id, and the name that the server gave it (`web`, `web_2`). */
export interface RegisterResponse {
  readonly id: string
  readonly name: string
}

/** `PUT /v1/sessions/{sid}/tool-clients/{cid}/tools`: the whole set; a revision older than the last is ignored. */
export interface UpdateRequest {
  readonly revision: number
  readonly tools: readonly ToolSpec[]
}

/** `POST .../ping` */
export interface PingRequest {
  /** The page goes away for good. */
  readonly leaving?: boolean
  /** The page goes into the back/forward cache. */
  readonly suspended?: boolean
  /** Of the last set that the page has sent: a farewell of before a newer registration is passed over. */
  readonly revision?: number
}

/** How far a call is, as its page reports it. */
export interface ProgressReport extends CallProgress {
  readonly call_id: string
}

/** `POST .../acks` */
export interface AckRequest {
  readonly call_ids: readonly string[]
  /** @default none */
  readonly progress?: readonly ProgressReport[]
}

/** `POST .../answers` */
export interface AnswerRequest extends ToolAnswer {
  readonly call_id: string
}

/** The body of every refusal. */
export interface ErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    /** How many tools of one client the server takes, where there were more. */
    readonly max_tools?: number
    /** The tools that were refused, by name; the set without them would be taken. */
    readonly tools?: readonly string[]
  }
}

/** Why a call was cancelled or settled by other than its answer. */
export type SettleReason =
  | "answered"
  | "cancelled"
  | "deadline"
  | "client_deleted"
  | "client_expired"
  | "client_superseded"
  | "client_left"
  | "session_closed"

/** Everything the stream carries, by the event's name. */
export interface SessionEvents {
  readonly "tool_call.dispatched": {
    readonly call_id: string
    readonly client_id: string
    readonly tool: string
    readonly arguments: unknown
    /** Milliseconds that were left for the answer when this copy was sent. */
    readonly deadline_ms: number
  }
  readonly "tool_call.cancelled": { readonly call_id: string; readonly reason: string }
  readonly "tool_call.progressed": ProgressReport & { readonly client_id: string }
  readonly "tool_call.settled": {
    readonly call_id: string
    readonly client_id: string
    readonly is_error: boolean
    readonly reason: string
  }
  readonly "tool_client.registered": { readonly client_id: string; readonly name: string }
  readonly "tool_client.updated": { readonly client_id: string; readonly name: string }
  readonly "tool_client.deleted": { readonly client_id: string; readonly name: string }
  readonly "tool_client.expired": { readonly client_id: string; readonly name: string }
  readonly "session.running": { readonly running: boolean }
  readonly keep_alive: Readonly<Record<string, never>>
  readonly resync: Readonly<Record<string, never>>
}

export type SessionEventName = keyof SessionEvents

/** One event of the stream: a union on `type`, so that `data` narrows. */
export type SessionEvent = {
  [Name in SessionEventName]: { readonly type: Name; readonly data: SessionEvents[Name] }
}[SessionEventName]

export type DispatchedData = SessionEvents["tool_call.dispatched"]
