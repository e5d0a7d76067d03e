import type { CallRecord } from "../../toolClient/calls.ts"
import type { ToolClientState } from "../../toolClient/toolClientState.ts"
import type { SessionState } from "../../toolClient/session.ts"
import type { JsonSchema, ToolSpec } from "../../tool/toolSpec.ts"
import type { Lifetime } from "../../wire/messages.ts"

/** Who calls, in the record of a call that the panel made: the server never hears of it. */
export const BY_HAND = "devtools"

/** One call as the panel saw it: the client's own record, and what only its requests tell. Times are milliseconds since the epoch. */
export interface CallTrace {
  readonly callId: string
  /** The tool client, by the name that the server gave it. */
  readonly client: string
  readonly tool: string
  readonly record: CallRecord
  /** How often it was dispatched; more than once after a lost ack or a reconnect. */
  readonly copies: number
  readonly deadline: number | undefined
  /** The server took the ack; a call from within the page needs none. */
  readonly ackedAt: number | undefined
  /** The answer was sent for the first time. */
  readonly answeringAt: number | undefined
  /** Why the server wanted no answer any more. */
  readonly cancelled: string | undefined
}

export type RequestType = "register" | "update" | "ping" | "ack" | "progress" | "answer" | "delete"

/** One request of a tool client, why it was sent, and what became of it. */
export interface RequestTrace {
  readonly key: number
  readonly type: RequestType
  readonly client: string
  readonly why: string
  /** What it carried, for a look inside. */
  readonly body: unknown
  readonly sentAt: number
  readonly endedAt: number | undefined
  readonly outcome: "pending" | "taken" | "failed"
  readonly error: string | undefined
}

/** One transition of the session, or of a tool client. */
export interface StatusTrace {
  readonly key: number
  readonly at: number
  /** The tool client's name; `undefined` for the session itself. */
  readonly client: string | undefined
  readonly status: SessionState["status"] | ToolClientState["status"]
  readonly error: string | undefined
}

/** The arguments that a tool's validation refused last. */
export interface Refusal {
  readonly callId: string
  readonly at: number
  readonly arguments: unknown
  /** What the model was told. */
  readonly text: string
}

/** One name that a tool client has declared, or that the server still knows. */
export interface ToolView {
  readonly name: string
  /**
   * - `live`: the server offers it.
   * - `pending`: declared, and not accepted by the server yet.
   * - `disabled`: declared with `enabled: false`.
   * - `refused`: its definition is unsound; `problem` says why.
   */
  readonly status: "live" | "pending" | "disabled" | "refused"
  /** As the server was told of it, else as it would be. */
  readonly spec: ToolSpec | undefined
  /** How many components declare the name. */
  readonly owners: number
  readonly problem: string | undefined
  readonly refusal: Refusal | undefined
}

export interface ClientView {
  readonly key: number
  readonly name: string
  readonly state: ToolClientState
  readonly lifetime: Lifetime
  readonly tools: readonly ToolView[]
}

/** All that the panel shows, as one snapshot. */
export interface History {
  /** Oldest first. */
  readonly calls: readonly CallTrace[]
  readonly requests: readonly RequestTrace[]
  readonly statuses: readonly StatusTrace[]
  readonly clients: readonly ClientView[]
}

export type { JsonSchema }
